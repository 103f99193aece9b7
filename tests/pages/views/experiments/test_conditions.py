import pytest


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "residuals",
            "Measured after 800 steps, 3 seeds, peak learning rate 0.0072. Judged here: whether a "
            "layer does worse without each of them, not why. Parameters differ: 369,024 to "
            "666,624. “Lower”: the whole 95 % interval of the difference lies below "
            "0; “as good”: it goes at most 5 percentage points below. **By then no variant "
            "knows the pronouns**: 0 % to 54.1 % of 777 right in single trainings, chance "
            "50 %.",
        ),
        (
            "order",
            "By then pronouns are known in a training of learned table alone: 47.9 % to 85.3 % of "
            "777 right in single trainings, chance 50 %.",
        ),
        (
            "reading",
            "By then every variant knows the pronouns: 99.5 % to 100 % of 777 right in "
            "single trainings.",
        ),
        (
            "forcing",
            "0.0072. Judged here: how it goes on after a mistake, not how many steps learning "
            "takes. "
            "“Higher”: the whole 95 % interval of the difference lies above 0; “no "
            "higher”: it goes at most 5 percentage points above. **By then",
        ),
        ("guide", "Measured after 900 steps, 3 seeds, peak learning rate 0.0095."),
    ],
)
def test_one_line_says_under_which_conditions_was_judged(open_experiment, name, said):
    at, _shown, _said = open_experiment(name)
    captions = [each.value.replace("\u00a0", " ") for each in at.caption]
    assert sum(said in each for each in captions) == 1
    assert [each for each in captions if each.startswith("Measured after")]

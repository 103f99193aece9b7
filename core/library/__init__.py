"""Models that the `transformers` library runs: read, watched, and used like our own.

Nothing here knows an architecture by its name: what its layers are is found by watching one pass.

    checkpoint.py settings and weights as they lie on disk
    gguf.py       the same of a GGUF file, and its tokenizer
    tokenizer.py  the tokenizer of a folder
    reading.py    which class a folder is for, and the model: bounded, without foreign code
    calls.py      how the library's models are called
    tracing.py    what follows a pass, and hands its steps to a probe
    structure.py  what is found of a model in one watched pass
    adapter.py    the model as the rest of the house uses it

`transformers` takes seconds to import, so the rest of core imports all but checkpoint.py inside
functions.
"""

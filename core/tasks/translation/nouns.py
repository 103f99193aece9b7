"""The nouns: English singular and plural, French singular and plural, gender, kind."""

from core.tasks.translation.words import Kind, Noun

# "teacher" or "child" are left out: English does not tell whether to write "le" or "la".
_MASCULINE = {
    Kind.PERSON: """
        boy boys garçon garçons
        man men homme hommes
        king kings roi rois
        prince princes prince princes
        brother brothers frère frères
        uncle uncles oncle oncles
        actor actors acteur acteurs
    """,
    # Nouns with one form for both numbers in English ("sheep", "fish") are left out as well.
    Kind.ANIMAL: """
        animal animals animal animaux
        dog dogs chien chiens
        cat cats chat chats
        horse horses cheval chevaux
        bird birds oiseau oiseaux
        wolf wolves loup loups
        rabbit rabbits lapin lapins
        donkey donkeys âne ânes
        owl owls hibou hiboux
    """,
    Kind.PLACE: """
        bridge bridges pont ponts
        garden gardens jardin jardins
        field fields champ champs
        park parks parc parcs
        path paths chemin chemins
        tunnel tunnels tunnel tunnels
        canal canals canal canaux
    """,
    Kind.THING: """
        truck trucks camion camions
        trophy trophies trophée trophées
        bag bags sac sacs
        book books livre livres
        hat hats chapeau chapeaux
        knife knives couteau couteaux
        boat boats bateau bateaux
        umbrella umbrellas parapluie parapluies
        mirror mirrors miroir miroirs
        jewel jewels bijou bijoux
    """,
    Kind.FOOD: """
        lemon lemons citron citrons
        melon melons melon melons
        onion onions oignon oignons
        bean beans haricot haricots
        pineapple pineapples ananas ananas
        radish radishes radis radis
    """,
}
_FEMININE = {
    Kind.PERSON: """
        girl girls fille filles
        woman women femme femmes
        queen queens reine reines
        princess princesses princesse princesses
        sister sisters sœur sœurs
        aunt aunts tante tantes
        actress actresses actrice actrices
    """,
    Kind.ANIMAL: """
        cow cows vache vaches
        goat goats chèvre chèvres
        mouse mice souris souris
        hen hens poule poules
        bee bees abeille abeilles
        turtle turtles tortue tortues
        frog frogs grenouille grenouilles
        ant ants fourmi fourmis
        giraffe giraffes girafe girafes
    """,
    Kind.PLACE: """
        street streets rue rues
        road roads route routes
        river rivers rivière rivières
        forest forests forêt forêts
        valley valleys vallée vallées
        avenue avenues avenue avenues
        beach beaches plage plages
    """,
    Kind.THING: """
        car cars voiture voitures
        box boxes boîte boîtes
        table tables table tables
        chair chairs chaise chaises
        suitcase suitcases valise valises
        lamp lamps lampe lampes
        key keys clé clés
        bottle bottles bouteille bouteilles
        plate plates assiette assiettes
        ladder ladders échelle échelles
    """,
    Kind.FOOD: """
        apple apples pomme pommes
        orange oranges orange oranges
        pear pears poire poires
        carrot carrots carotte carottes
        tomato tomatoes tomate tomates
        cherry cherries cerise cerises
    """,
}


def _read(tables: dict[Kind, str], feminine: bool) -> list[Noun]:
    nouns = []
    for kind, table in tables.items():
        for line in table.split("\n"):
            if line.strip():
                one, many, un, des = line.split()
                nouns.append(Noun((one, many), (un, des), feminine, kind))
    return nouns


NOUNS: tuple[Noun, ...] = (*_read(_MASCULINE, False), *_read(_FEMININE, True))

NOUNS_OF: dict[tuple[Kind, bool | None], tuple[Noun, ...]] = {
    (kind, feminine): tuple(
        noun for noun in NOUNS if noun.kind is kind and feminine in (None, noun.feminine)
    )
    for kind in Kind
    for feminine in (None, False, True)
}
"""The nouns of a kind, of one gender (True: feminine) or of both (None)."""

LEMMAS: dict[str, str] = {form: noun.english[0] for noun in NOUNS for form in noun.english}
"""From every English form to the singular."""

# In these words the h is "aspiré": no elision before it ("le haricot", but "l'homme").
ASPIRATED_H = frozenset({"haricot", "haricots", "hibou", "hiboux"})

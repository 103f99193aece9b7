"""A class, and who looks at it, without a cookie."""

from classroom.service import ClassService
from classroom.settings import Classroom
from pages.frame import service


class SeenBy(ClassService):
    """A class at which a visitor looks."""

    def __init__(self, visitor, classroom=None):
        super().__init__(classroom or Classroom())
        self.visitor = lambda: visitor


def serve(patch, visitor, classroom=None):
    """Have a visitor look at a class until the test ends, and return how it is served."""
    served = SeenBy(visitor, classroom)
    patch.setattr(service, "_served", [served])
    return served

"""What goes wrong for a reason that the user can mend."""


class CommandError(Exception):
    """Said in one sentence; the command ends with status 2."""

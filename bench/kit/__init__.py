"""What every benchmark of this folder needs: facts about the machine, and tables."""

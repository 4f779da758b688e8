# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Cards of the lab, and a judge of what they print and of their resets."""

from ornicrun import process
from ornicrun.card import CardProcess

from . import paths
from .errors import LabError
from .reports import CardLog


class Card(CardProcess):
    def __init__(self, rundir, logdir, name="card", nics=1, *, args=(), sanitized=False, **options):
        """`sanitized` selects the card built with AddressSanitizer and UndefinedBehaviorSanitizer,
        which cannot have a sandbox. Other cards have a sandbox or do not start. The other options
        are those of CardProcess."""
        self.program = [paths.DEVICE_SANITIZED if sanitized else paths.DEVICE]
        sandbox = [] if sanitized else ["--sandbox=on"]
        super().__init__(rundir, logdir, name, nics, args=[*sandbox, *args], **options)
        self.said = CardLog()
        self.over = True  # not started, or ended by the lab
        self.complaints = []
        self.resets, self.resets_declared = {}, set()

    def start(self):
        [program] = self.program
        if not program.exists():
            part = program.parent.name
            if paths.INSTALLED in program.parents:
                part = "installed"
            raise LabError(f"{program} is missing: run `scripts/build {part}`")
        self.said, self.heard = CardLog(), 0
        self.over = False
        return super().start()

    def listen(self, final=False):
        with open(self.log, "rb") as log:
            log.seek(self.heard)
            text = log.read()
            self.heard = log.tell()
        self.said.feed(text.decode(errors="replace"), final)

    def function_resets(self):
        """Returns {card: number of resets of its function}."""
        return {name: card["function"]["resets"] for name, card in self.stats()["cards"].items()}

    def booted(self):
        """Called when a VM has booted: QEMU's resets during the boot are the base of later
        counts."""
        self.resets = self.function_resets()

    def expects(self, *patterns, required=True):
        """Like Vm.expects(), for errors in the card's log."""
        self.listen()
        self.said.expect(*patterns, required=required)

    def expects_reset(self, *names):
        """Declares that the current test resets the functions of these cards."""
        self.resets_declared |= set(names or ("nic0",))

    def settle(self):
        """Called at the end of a test: returns the card's events that the test did not declare."""
        if not self.over:
            self.listen()
            if not self.running():
                self.complaints.append(f"ornic-device has ended with {self.process.returncode}, "
                                       f"see {self.log}\n{self.tail()}")
                self.over = True
            else:
                self.check_resets()
        self.resets_declared = set()
        found, self.complaints = self.complaints + self.said.settle(), []
        return [f"{self.name}: {line}" for line in found]

    def check_resets(self):
        try:
            now = self.function_resets()
        except OSError as error:
            self.complaints.append(f"the control socket does not answer: {error}, see {self.log}")
            return
        for name, number in now.items():
            was_reset = number != self.resets.get(name, number)
            if was_reset != (name in self.resets_declared):
                self.complaints.append(f"{name} was{'' if was_reset else ' not'} reset, and the "
                                       f"test {'does not declare' if was_reset else 'declares'} it")
        self.resets = now

    def stop(self):
        """Sends SIGTERM and returns the exit code. A code other than 0 is a complaint."""
        if self.over:
            return self.process.returncode if self.process else 0
        code = process.stop(self.process, process.END_TIMEOUT)
        self.over = True
        self.listen(final=True)
        if code:
            self.complaints.append(f"ornic-device ended with {code}, see {self.log}\n{self.tail()}")
        return code

    def kill(self):
        super().kill()
        self.over = True

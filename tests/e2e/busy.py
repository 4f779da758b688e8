# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Programs that use the cards of a VM again and again, while these come and go."""

from settings import wait_until

# Runs a program again and again, with less priority than what the test itself runs, and stores how
# long the longest run took. A card may have no RDMA device and no netdev for a while.
RUNS, STOP = "/tmp/busy-runs", "/tmp/busy-stop"
LOOP = """exec >/dev/null 2>&1
renice -n 19 $$
longest=0
until [ -e {stop} ]; do
    begin=$SECONDS
    {program}
    [ $((SECONDS - begin)) -le $longest ] || echo $((longest = SECONDS - begin)) >>{runs}
    sleep 0.1
done"""
# Seconds that a program runs
RUN = 5
BATCHES = """device=$(ls /sys/bus/pci/devices/{address}/infiniband)
    [ ! "$device" ] || {programs}/batches $device {index} {run}"""
# Few frames, because a lie about one of their completions costs a recovery
PING = """netdev=$(ls /sys/bus/pci/devices/{address}/net)
    ping -b -q -c 2 -i 0.5 -w 2 -I $netdev 255.255.255.255"""


class Busy:
    """Loops of programs in a VM."""

    def __init__(self, vm, programs):
        self.vm, self.programs, self.loops = vm, programs, []
        vm.check(f"rm -f {RUNS} {STOP}; touch {RUNS}")

    def batches(self, address, index):
        """RDMA of a process to itself by the card with this PCI address and its GID `index`."""
        self.loop(BATCHES.format(address=address, programs=self.programs, index=index, run=RUN))

    def ping(self, address):
        """Frames of the card's netdev."""
        self.loop(PING.format(address=address))

    def loop(self, program):
        self.loops.append(self.vm.spawn(LOOP.format(program=program, runs=RUNS, stop=STOP)))

    def finish(self, extra):
        """Waits until all programs have ended, `extra` seconds after they should at most. Returns
        the seconds that the longest run took."""
        self.vm.check(f"touch {STOP}")
        longest = RUN + extra
        wait_until("all programs end", lambda: all(one.poll() for one in self.loops))
        took = max(map(int, self.vm.check(f"cat {RUNS}").split()), default=0)
        assert took <= longest, f"a program took {took} s"
        return took

    def kill(self):
        for command in self.loops:
            if command.poll() is None:
                command.kill("KILL")
            command.wait(60)

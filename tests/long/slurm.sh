#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Under a real Slurm on this machine: an array job of parts and their merge, MPI by srun, and a
# suite. It installs what it needs, as root, and starts munged, slurmctld and slurmd for itself,
# with folders of its own.

# shellcheck source=tests/cli/common
. "$SRC/tests/cli/common"

if [ "$(id -u)" -ne 0 ]; then
	echo "ok Slurm # SKIP only root can install and start it"
	exit 0
fi
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null; then
	DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
		slurmctld slurmd slurm-client munge >/dev/null 2>&1 || {
		echo "ok Slurm # SKIP it cannot be installed"
		exit 0
	}
fi

# ---- a cluster of one node ----------------------------------------------------

here=$PWD
node=$(hostname -s)
daemons=
stop() {
	# shellcheck disable=SC2086 # process ids
	[ -z "$daemons" ] || kill $daemons 2>/dev/null || true
}
trap 'stop; sleep 1; rm -rf state spool' EXIT
mkdir munge state spool log
chmod 700 munge
chown munge: munge 2>/dev/null || chown "$(id -u)" munge
# munged wants a folder that others cannot write to above its files: this one is in /tmp.
dd if=/dev/urandom of=munge/key bs=1 count=1024 2>/dev/null
chmod 600 munge/key
/usr/sbin/munged --force --foreground --key-file="$here/munge/key" --socket="$here/munge/socket" \
	--pid-file="$here/munge/pid" --log-file="$here/munge/log" --seed-file="$here/munge/seed" \
	>munged.log 2>&1 &
daemons="$daemons $!"
cat >slurm.conf <<END
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$here/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/log/slurmctld
SlurmdLogFile=$here/log/slurmd
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmctldParameters=enable_configless
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$node Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
END
export SLURM_CONF="$here/slurm.conf"
until_true test -S munge/socket
/usr/sbin/slurmctld -D -f "$SLURM_CONF" >slurmctld.out 2>&1 &
daemons="$daemons $!"
/usr/sbin/slurmd -D -f "$SLURM_CONF" -N "$node" >slurmd.out 2>&1 &
daemons="$daemons $!"
GUARD=${SLURM_GUARD:-60}
if ! until_true sh -c 'sinfo -h -o %t | grep -q "^idle"'; then
	failed "a cluster of one node" "$(tail -n 5 log/* munged.log slurm*.out)"
	finish
fi
passed "a cluster of one node: Slurm $(sinfo --version | awk '{ print $2 }')"

# ---- an array of parts, and merge ----------------------------------------------

"$WAYMARK" record -L /usr/riscv64-linux-gnu -o long.wmk "$GUESTS/threads/names.O3" >/dev/null
"$BUILD/tests/unit/rechunk" long.wmk waymark.wmk 900
for question in "calls" "hot --by line" "cfg --loops --trips"; do
	# shellcheck disable=SC2086 # words
	"$WAYMARK" $question >wanted
	rm -f p*.wms
	sbatch --wait --quiet --array=1-5 --output=/dev/null >sbatch.out 2>&1 <<END || true
#!/bin/sh
cd "$here"
exec "$WAYMARK" $question --part "\$SLURM_ARRAY_TASK_ID/5" --state "p\$SLURM_ARRAY_TASK_ID.wms"
END
	"$WAYMARK" merge p*.wms >merged 2>&1 || true
	same "an array job: $question" wanted merged
done

# ---- MPI by srun -----------------------------------------------------------------

# Debian's Open MPI speaks to Slurm by PMIx, or by PMI-2 where that is built.
"$WAYMARK" calls >wanted
kind=$(srun --mpi=list 2>&1 | tr ' ' '\n' | grep -m 1 -x 'pmix\|pmix_v[0-9]*\|pmi2' || true)
if [ -e "$BUILD/waymark-mpi.so" ] && [ -n "$kind" ]; then
	timeout 120 srun --mpi="$kind" -n 2 --oversubscribe -O -K "$WAYMARK" calls >got 2>srun.err || true
	if grep -qi "not built with\|no support\|cannot\|unable" srun.err; then
		echo "ok srun --mpi=$kind # SKIP $(grep -m 1 -i 'not built\|support\|cannot\|unable' srun.err | cut -c 1-80)"
	else
		same "srun --mpi=$kind" wanted got
	fi
else
	echo "ok srun # SKIP there is no MPI, or Slurm has none of its interfaces"
fi
# mpirun within an allocation always works.
if [ -e "$BUILD/waymark-mpi.so" ]; then
	timeout 120 salloc --quiet -n 2 --oversubscribe -O \
		mpirun --allow-run-as-root --oversubscribe -n 2 "$WAYMARK" calls >got 2>mpirun.err || true
	same "mpirun within salloc" wanted got
fi

# ---- a suite -----------------------------------------------------------------------

cat >suite.toml <<END
[[case]]
name = "signal"
command = ["$GUESTS/signal.O3"]
[[case]]
name = "alloca"
command = ["$GUESTS/alloca.O3"]
[[case]]
name = "missing"
command = ["./missing"]
END
run timeout 300 "$WAYMARK" suite run suite.toml --engine slurm -j 2 --sbatch=--partition=all \
	-f case,status --format csv
printf 'case,status\nsignal,passed\nalloca,passed\nmissing,error\n' >wanted
same "a suite as an array job" wanted stdout
check "its exit status" test "$status" -eq 1
"$WAYMARK" suite run suite.toml -o local -f case,insns --format csv >wanted || true
run "$WAYMARK" suite report suite.results --against local --by case -f change --format csv
check "what it counted" test "$(grep -cx 0 stdout)" -eq 3
finish

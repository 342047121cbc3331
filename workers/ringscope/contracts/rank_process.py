"""A rank as a process: the variables in its environment, and its exit codes."""

SOCKET_VARIABLE = "RINGSCOPE_SOCKET"
TOKEN_VARIABLE = "RINGSCOPE_ATTEMPT_TOKEN"
# A process that waits for an attempt keeps room in its environment for the token, which has as many letters.
PLACEHOLDER_VARIABLE = "RINGSCOPE_STANDBY_TOKEN"
ADDRESS_VARIABLE = "RINGSCOPE_NODE_ADDRESS"  # address at which other nodes reach this one, as configured for its agent
NODES_VARIABLE = "RINGSCOPE_NODES"  # name and rack of each rank's node, as JSON; for diagnoses and preflights
EARLIER_VARIABLE = "RINGSCOPE_EARLIER"  # path of a file with what a diagnosis knows already, as JSON
SPEC_VARIABLE = "RINGSCOPE_SPEC"  # path of a file that holds the JobSpec as JSON
TUNING_VARIABLE = "RINGSCOPE_TUNING"  # path of a file that holds the measurements for ``auto``
POSITIONS_VARIABLE = "RINGSCOPE_POSITIONS"  # path of the file of ``ringscope.engine.positions``
CHECKPOINTS_VARIABLE = "RINGSCOPE_CHECKPOINTS"  # folder of the job's checkpoints on this node
MEMORY_VARIABLE = "RINGSCOPE_MEMORY"  # folder in shared memory of an elastic job's state on this node
RESUME_VARIABLE = "RINGSCOPE_RESUME"  # folder of the checkpoints of the job in training.resume_from
THREADS_VARIABLE = "OMP_NUM_THREADS"  # number of compute threads of a rank, used by PyTorch and NumPy
SCRIPTS_VARIABLE = "RINGSCOPE_SCRIPTS"  # folder of the node's own scripts
STEPS_VARIABLE = "RINGSCOPE_STEPS"  # path of the shared memory of ``ringscope.engine.step_ring``
STANDBY_VARIABLE = "RINGSCOPE_STANDBY"  # name of the socket of a process that has loaded PyTorch already
STACKS_VARIABLE = "RINGSCOPE_STACKS"  # folder in which each rank writes its stack on request
# Fault to inject: "wrong_element" makes rank 0 spoil one element of each result, "deadlock" keeps the last rank from
# the first check, so that all wait for it. In training "wrong_element" changes a bit of rank 0's replica after each
# epoch; "slow" makes the last rank compute everything twice, and "slow_input" makes it wait for its samples as long as
# it computes.
FAULT_VARIABLE = "RINGSCOPE_FAULT"

# Exit codes of a rank program.
EXIT_OK = 0
EXIT_FAILURE = 1
EXIT_BAD_INPUT = 2
EXIT_VERIFICATION_FAILED = 3

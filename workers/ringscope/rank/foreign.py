"""The variables of batch systems and other launchers, which are removed from the environment of our processes.

Inside a batch job they make mpiexec hand its launch to the batch system, or make a rank believe that it belongs to
another gang. Variables that configure a library and not a launch are kept: ``MPICH_*``, ``UCX_*``, ``NCCL_*``,
``CUDA_VISIBLE_DEVICES`` and all variables of the user. docs/slurm.md has the list for users.
"""

from collections.abc import Mapping

# A name with one of these prefixes is dropped, unless it is in KEPT_PREFIXES.
FOREIGN_PREFIXES = (
    # batch systems: Slurm, PBS and Torque, LSF and IBM's jsrun, Grid Engine, Flux, LoadLeveler, Cobalt, Cray, HTCondor
    "SLURM_", "SLURMD_", "SRUN_", "SBATCH_", "SALLOC_",
    "PBS_", "TORQUE_",
    "LSB_", "LSF_", "JSM_",
    "SGE_",
    "FLUX_",
    "LOADL_",
    "COBALT_",
    "ALPS_", "PALS_",
    "_CONDOR_",
    # Kubernetes, and torchrun, which its training operators imitate
    "KUBERNETES_", "PET_", "TORCHELASTIC_",
    # launchers of MPI: PMI and PMIx, Hydra, Intel's Hydra, Open MPI and its PRRTE, MVAPICH
    "PMI_", "PMI2_", "PMIX_", "PMIRUN_",
    "HYDRA_", "HYDI_", "MPIEXEC_", "MPI_LOCAL",
    "I_MPI_HYDRA_", "I_MPI_JOB_", "I_MPI_PMI",
    "OMPI_", "ORTE_", "PRTE_",
    "MV2_COMM_", "MPIRUN_", "MPISPAWN_",
)  # fmt: skip
# Whole names: some batch systems and launchers have no prefix of their own.
FOREIGN_NAMES = frozenset({
    "LS_SUBCWD", "LS_JOBPID", "LS_EXEC_T",  # LSF
    "PE_HOSTFILE", "NSLOTS", "NHOSTS", "NQUEUES",  # Grid Engine
    "PMIX",
    "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "ROLE_RANK", "ROLE_WORLD_SIZE",  # torchrun
    "GROUP_WORLD_SIZE", "NODE_RANK", "MASTER_ADDR", "MASTER_PORT",
    "TF_CONFIG",  # TensorFlow's cluster
    # These make a rank load another Python's library, or ask MPICH for a network module that its build may not have.
    "PYTHONHOME", "PYTHONPLATLIBDIR", "PYTHONEXECUTABLE",
    "MPIR_CVAR_CH4_NETMOD", "MPIR_PARAM_CH4_NETMOD", "MPICH_CH4_NETMOD",
})  # fmt: skip
# These have the same prefixes, but users set them for themselves.
KEPT_PREFIXES = (
    "HYDRA_FULL_ERROR",  # the configuration library of that name
    "OMPI_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT",
    "OMPI_MCA_btl", "OMPI_MCA_pml", "OMPI_MCA_mtl", "OMPI_MCA_coll", "OMPI_MCA_osc", "OMPI_MCA_io",
)  # fmt: skip


def is_foreign(name: str) -> bool:
    """Return whether a variable belongs to a batch system, to another launcher, or to another Python or MPI."""
    return name in FOREIGN_NAMES or (name.startswith(FOREIGN_PREFIXES) and not name.startswith(KEPT_PREFIXES))


def without_foreign(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables of batch systems and other launchers."""
    return {name: value for name, value in environment.items() if not is_foreign(name)}

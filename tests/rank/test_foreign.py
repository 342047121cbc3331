"""No variable of a batch system or of another launcher reaches what we start."""

import pytest

from ringscope.rank.foreign import is_foreign, without_foreign

# As found inside a job of each: what its own launcher, Hydra, Open MPI or PyTorch would go by.
LEAKING = {
    "SLURM_JOB_ID": "7", "SLURM_NODELIST": "n[1-2]", "SLURM_TASKS_PER_NODE": "2(x2)", "SLURMD_NODENAME": "n1",
    "PBS_JOBID": "7.pbs", "PBS_NODEFILE": "/nowhere", "PBS_ENVIRONMENT": "PBS_BATCH",
    "LSB_JOBID": "7", "LSB_HOSTS": "n1 n2", "LSB_MCPU_HOSTS": "n1 2 n2 2", "LS_SUBCWD": "/home", "LSF_BINDIR": "/lsf",
    "SGE_TASK_ID": "1", "PE_HOSTFILE": "/nowhere", "NSLOTS": "4", "NHOSTS": "2",
    "KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_PORT": "tcp://10.0.0.1:443",
    "FLUX_JOB_ID": "f1", "FLUX_URI": "local:///nowhere", "COBALT_NODEFILE": "/nowhere", "LOADL_HOSTFILE": "/nowhere",
    "OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "OMPI_MCA_ess_base_jobid": "3", "PRTE_MCA_plm": "slurm",
    "PMIX_RANK": "1", "PMIX_NAMESPACE": "slurm.pmix.7.0", "PMI_RANK": "1", "PMI_SIZE": "4", "PMI_FD": "9",
    "PMI2_RANK": "1", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2",
    "HYDRA_LAUNCHER": "slurm", "HYDRA_RMK": "slurm", "HYDRA_HOST_FILE": "/nowhere", "MPIEXEC_TIMEOUT": "1",
    "I_MPI_HYDRA_BOOTSTRAP": "slurm", "I_MPI_PMI_LIBRARY": "/nowhere",
    "RANK": "1", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "MASTER_ADDR": "n9", "MASTER_PORT": "1", "PET_RDZV_ID": "x",
    "TF_CONFIG": "{}", "PYTHONHOME": "/nowhere", "PYTHONPLATLIBDIR": "lib9", "PYTHONEXECUTABLE": "/nowhere",
    "MPIR_CVAR_CH4_NETMOD": "mx", "MPIR_PARAM_CH4_NETMOD": "mx", "MPICH_CH4_NETMOD": "mx",
}  # fmt: skip
USERS_OWN = {
    "PATH": "/bin", "HOME": "/home/me", "LS_COLORS": "di=1", "MY_DATA": "/data", "CUDA_VISIBLE_DEVICES": "1",
    "NCCL_DEBUG": "INFO", "UCX_TLS": "tcp,self", "MPICH_ASYNC_PROGRESS": "1", "MPIR_CVAR_CH4_NUM_VCIS": "2",
    "OMP_PROC_BIND": "close", "HYDRA_FULL_ERROR": "1", "OMPI_MCA_btl_tcp_if_include": "eth0", "I_MPI_FABRICS": "shm",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "JOB_NAME": "mine", "PMIMAGE": "photo",
    "PYTHONPATH": "/home/me/scripts",
}  # fmt: skip


@pytest.mark.parametrize("name", LEAKING)
def test_what_leads_a_launch_astray_is_dropped(name: str) -> None:
    assert is_foreign(name)


@pytest.mark.parametrize("name", USERS_OWN)
def test_what_is_the_users_own_stays(name: str) -> None:
    assert not is_foreign(name)


def test_an_environment_keeps_its_values() -> None:
    assert without_foreign(LEAKING | USERS_OWN) == USERS_OWN

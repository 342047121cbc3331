BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0008');
CREATE TABLE allocations (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	is_active BOOLEAN NOT NULL, 
	CONSTRAINT pk_allocations PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_allocations_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_allocations_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
INSERT INTO "allocations" VALUES(1,0,1,0,0);
INSERT INTO "allocations" VALUES(1,1,1,1,0);
INSERT INTO "allocations" VALUES(2,0,1,0,0);
INSERT INTO "allocations" VALUES(2,1,1,1,0);
CREATE TABLE "attempts" (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	token TEXT NOT NULL, 
	is_launched BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	environment JSON, 
	reason TEXT, 
	message TEXT DEFAULT ('') NOT NULL, 
	bad_node TEXT, 
	charged_at DATETIME, 
	bad_rank INTEGER, 
	is_hearsay BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT uq_attempts_job_id UNIQUE (job_id, number), 
	CONSTRAINT fk_attempts_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "attempts" VALUES(1,1,1,'de27fa925e359181684eefbb3e0a8be0',1,'2026-11-29 09:47:13.708368','2026-11-29 09:47:14.767751','2026-11-29 09:47:15.242929','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/1/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/1/stacks", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/1/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945634717860378}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 23133, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945634706949704}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 23134, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945634706936009}]}','completed','',NULL,'2026-11-29 09:47:15.341199',NULL,0);
INSERT INTO "attempts" VALUES(2,2,1,'69d3e741f19f49672a926d0d31f4cf6e',1,'2026-11-29 09:47:15.341199','2026-11-29 09:47:18.078548','2026-11-29 09:47:34.672786','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_CHECKPOINTS": "/var/lib/ringscope/agent/checkpoints/job-2", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/2/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/2/stacks", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/2/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945638065935002}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 23198, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945638047247301}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 23199, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945638047141884}]}','completed','',NULL,'2026-11-29 09:47:34.851894',NULL,0);
CREATE TABLE epochs (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	training_loss DOUBLE, 
	validation_loss DOUBLE, 
	validation_accuracy DOUBLE, 
	samples BIGINT NOT NULL, 
	duration_us DOUBLE NOT NULL, 
	validation_us DOUBLE NOT NULL, 
	checkpoint_us DOUBLE NOT NULL, 
	ended_at DATETIME NOT NULL, 
	CONSTRAINT pk_epochs PRIMARY KEY (id), 
	CONSTRAINT fk_epochs_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_epochs_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "epochs" VALUES(1,2,2,0,1,4,2.28954461216926574707e+00,2.20035035875108508918e+00,2.52777777777777767909e-01,256,1.37032096000000019561e+05,2.03614690000222253729e+04,4.44186690000378803233e+04,'2026-11-29 09:47:26.784434');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	time DATETIME NOT NULL, 
	actor TEXT NOT NULL, 
	action TEXT NOT NULL, 
	target_type TEXT NOT NULL, 
	target_id TEXT NOT NULL, 
	"before" TEXT, 
	"after" TEXT, 
	message TEXT NOT NULL, 
	CONSTRAINT pk_events PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,'2026-11-29 09:47:13.481039','node/vm','node.registered','node','vm',NULL,'ready','');
INSERT INTO "events" VALUES(2,'2026-11-29 09:47:13.548981','admin','login_link.created','user','admin',NULL,NULL,'');
INSERT INTO "events" VALUES(3,'2026-11-29 09:47:13.653538','admin','job.submitted','job','1',NULL,'queued','');
INSERT INTO "events" VALUES(4,'2026-11-29 09:47:13.708368','system','job.starting','job','1','queued','starting','');
INSERT INTO "events" VALUES(5,'2026-11-29 09:47:14.767751','system','job.running','job','1','starting','running','');
INSERT INTO "events" VALUES(6,'2026-11-29 09:47:15.120753','system','job.stopping','job','1','running','stopping','completed');
INSERT INTO "events" VALUES(7,'2026-11-29 09:47:15.242929','system','job.succeeded','job','1','stopping','succeeded','completed');
INSERT INTO "events" VALUES(8,'2026-11-29 09:47:15.301658','admin','job.submitted','job','2',NULL,'queued','');
INSERT INTO "events" VALUES(9,'2026-11-29 09:47:15.341199','system','job.starting','job','2','queued','starting','');
INSERT INTO "events" VALUES(10,'2026-11-29 09:47:18.078548','system','job.running','job','2','starting','running','');
INSERT INTO "events" VALUES(11,'2026-11-29 09:47:34.238717','system','job.stopping','job','2','running','stopping','completed');
INSERT INTO "events" VALUES(12,'2026-11-29 09:47:34.672786','system','job.succeeded','job','2','stopping','succeeded','completed');
INSERT INTO "events" VALUES(13,'2026-11-29 09:47:34.876863','admin','job.submitted','job','3',NULL,'queued','');
INSERT INTO "events" VALUES(14,'2026-11-29 09:47:35.096242','admin','job.cancelled','job','3','queued','cancelled','Cancelled by admin.');
INSERT INTO "events" VALUES(15,'2026-11-29 09:47:35.301154','admin','schedule.created','schedule','1',NULL,'nightly','');
INSERT INTO "events" VALUES(16,'2026-11-29 09:47:35.387746','admin','token.created','token','4',NULL,'viewer','personal token for colleague');
CREATE TABLE "idempotency_keys" (
	user TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	target_type TEXT DEFAULT 'job' NOT NULL, 
	target_id BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (user, "key")
);
INSERT INTO "idempotency_keys" VALUES('admin','1795945633.648395','9cb7ae2db2e23badb1f571f457e6f4f1eb852110767b4e652473cd5c82bcde24','2026-11-29 09:47:13.653538','job',1);
INSERT INTO "idempotency_keys" VALUES('admin','1795945635.294083','c32aa373a4dda540e31ff16850e3b551a43aa06c3de8a8e86abcfb8591ae269d','2026-11-29 09:47:15.301658','job',2);
INSERT INTO "idempotency_keys" VALUES('admin','1795945654.8657382','695620094978242b76b03cfc4d6fcabd7941464b16870ab19f5602a10f3fb9d2','2026-11-29 09:47:34.876863','job',3);
CREATE TABLE insights (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	rank INTEGER, 
	node TEXT, 
	message TEXT NOT NULL, 
	evidence JSON NOT NULL, 
	since DATETIME NOT NULL, 
	until DATETIME, 
	CONSTRAINT pk_insights PRIMARY KEY (id), 
	CONSTRAINT fk_insights_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_insights_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE "jobs" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	spec JSON NOT NULL, 
	user TEXT NOT NULL, 
	priority INTEGER NOT NULL, 
	labels JSON NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT, 
	message TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	started_at DATETIME, 
	finished_at DATETIME, 
	pending_reason TEXT, 
	pending_sentence TEXT, 
	estimated_start DATETIME, 
	rows_done INTEGER NOT NULL, 
	summary JSON NOT NULL, 
	ranks INTEGER NOT NULL, 
	revision INTEGER DEFAULT 1 NOT NULL, 
	cloned_from INTEGER, 
	schedule_id INTEGER, 
	fire_time DATETIME, 
	queued_at DATETIME NOT NULL, 
	not_before DATETIME, 
	pending_position INTEGER, 
	excluded_nodes JSON DEFAULT '[]' NOT NULL, collective TEXT, algorithms TEXT DEFAULT '' NOT NULL, busbw_gb_per_s DOUBLE, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT uq_jobs_schedule_id UNIQUE (schedule_id, fire_time), 
	CONSTRAINT fk_jobs_schedule_id_schedules FOREIGN KEY(schedule_id) REFERENCES schedules (id) ON DELETE SET NULL, 
	CONSTRAINT fk_jobs_cloned_from_jobs FOREIGN KEY(cloned_from) REFERENCES jobs (id)
);
INSERT INTO "jobs" VALUES(1,'sums','benchmark','{"name": "sums", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "mpi"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8, "step_bytes": null, "cycles": 1, "warmup": 1, "iterations": 5, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:47:13.653538','2026-11-29 09:47:14.767751','2026-11-29 09:47:15.242929',NULL,NULL,NULL,12,'{"kind": "benchmark", "best": [{"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 7.6163027182818706, "size_bytes": 65536, "in_place": true}, {"algorithm": "mpi", "transport": "mpi", "busbw_gb_per_s": 0.6439239113346958, "size_bytes": 8192, "in_place": true}], "sizes": [{"size_bytes": 1024, "busbw_gb_per_s": 0.003981318905199509}, {"size_bytes": 8192, "busbw_gb_per_s": 0.037309643167330014}, {"size_bytes": 65536, "busbw_gb_per_s": 7.6163027182818706}], "min_size_p99_us": 493.483, "limit_gb_per_s": null, "wrong": 0, "verdict": "ring is 7.4x MPI_Allreduce at 64 KiB (median iteration)", "explanation": "ring sends at most 64 KiB from a rank, over 2 hops; what MPI_Allreduce does inside is the library''s choice."}',2,1,NULL,NULL,NULL,'2026-11-29 09:47:13.653538',NULL,NULL,'[]','all_reduce','ring,mpi',7.61630271828187055405e+00);
INSERT INTO "jobs" VALUES(2,'training','training','{"name": "training", "kind": "training", "benchmark": null, "training": {"strategy": "mirrored", "all_reduce": "auto", "transport": "auto", "device": "auto", "servers": 1, "consistency": "sync", "staleness": null, "model": "mlp", "model_arguments": {}, "dataset": {"name": "digits", "path": null, "samples": null, "validation_percent": 20}, "global_batch_size": 64, "batch_split": "equal", "epochs": 10, "max_steps": 4, "optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0, "precision": "float32", "accumulation_steps": 1, "bucket_bytes": 26214400, "overlap": true, "compression": "none", "top_k_percent": 1.0, "powersgd_rank": 2, "clip_norm": null, "checkpoint_every_steps": null, "resume_from": null, "target_accuracy": null, "seed": 0, "timeout_seconds": 300}, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": 1, "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:47:15.301658','2026-11-29 09:47:18.078548','2026-11-29 09:47:34.672786',NULL,NULL,NULL,4,'{"kind": "training", "loss": 2.2895446121692657, "validation_loss": 2.200350358751085, "validation_accuracy": 0.25277777777777777, "samples_per_second": 2246.387148247834, "step_seconds": 0.085540463, "communication_seconds": 0.0728782325, "exposed_communication_seconds": 0.072911387, "epochs_done": 1, "steps_done": 4, "steps_total": 4, "seconds_to_target": null, "scaling_efficiency": null, "scaling_baseline_job_id": null}',2,1,NULL,NULL,NULL,'2026-11-29 09:47:15.301658',NULL,NULL,'[]',NULL,'auto',NULL);
INSERT INTO "jobs" VALUES(3,'never','benchmark','{"name": "never", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 4, "ranks_per_node": null, "nodes": null, "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','cancelled','user_cancelled','Cancelled by admin.','2026-11-29 09:47:34.876863',NULL,'2026-11-29 09:47:35.096242',NULL,NULL,NULL,0,'{"kind": "benchmark", "best": [], "sizes": [], "min_size_p99_us": null, "limit_gb_per_s": null, "wrong": 0, "verdict": "", "explanation": ""}',4,1,NULL,NULL,NULL,'2026-11-29 09:47:34.876863',NULL,NULL,'[]','all_reduce','ring',NULL);
CREATE TABLE leases (
	name TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_leases PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('scheduler','08d04baa0d13a9fb',1,'2026-11-29 09:47:38.969748');
CREATE TABLE log_lines (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	node TEXT NOT NULL, 
	rank INTEGER, 
	stream TEXT NOT NULL, 
	time_ns BIGINT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_log_lines PRIMARY KEY (id), 
	CONSTRAINT fk_log_lines_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_log_lines_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "log_lines" VALUES(1,1,1,'vm',NULL,'stdout',1795945635089200966,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
INSERT INTO "log_lines" VALUES(2,2,2,'vm',0,'stdout',1795945642668800585,'batch_all_reduce: 1 all-reduce with algorithm = ring_pipelined, 332.04 KiB a step, num_replicas = 2, transport = shared_memory (model: ring_pipelined 10.17 us, ring 10.34 us, mpi 49.6 us; nothing measured near 332.04 KiB for all_reduce of float32 in place, 2 ranks on 1 node over shared_memory.)');
INSERT INTO "log_lines" VALUES(3,2,2,'vm',NULL,'stdout',1795945654129641613,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
CREATE TABLE measurements (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	collective TEXT NOT NULL, 
	algorithm TEXT NOT NULL, 
	chosen_algorithm TEXT, 
	chosen_because TEXT, 
	transport TEXT NOT NULL, 
	in_place BOOLEAN NOT NULL, 
	cycle INTEGER NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	count BIGINT NOT NULL, 
	dtype TEXT NOT NULL, 
	op TEXT NOT NULL, 
	ranks INTEGER NOT NULL, 
	iterations INTEGER NOT NULL, 
	time_us DOUBLE NOT NULL, 
	algbw_gb_per_s DOUBLE NOT NULL, 
	busbw_gb_per_s DOUBLE NOT NULL, 
	wrong BIGINT, 
	min_us DOUBLE NOT NULL, 
	mean_us DOUBLE NOT NULL, 
	p50_us DOUBLE NOT NULL, 
	p95_us DOUBLE NOT NULL, 
	p99_us DOUBLE NOT NULL, 
	max_us DOUBLE NOT NULL, 
	stdev_us DOUBLE NOT NULL, 
	cv_percent DOUBLE NOT NULL, 
	measured_at DATETIME NOT NULL, p10_us DOUBLE, p90_us DOUBLE, 
	CONSTRAINT pk_measurements PRIMARY KEY (id), 
	CONSTRAINT fk_measurements_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_measurements_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "measurements" VALUES(1,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,1024,256,'float32','sum',2,5,3.3974490000000002964e+02,3.01402611194457941898e-03,3.01402611194457941898e-03,0,87.921,514.3366,589.867,724.276,724.276,724.276,2.24372153918083114374e+02,43.6236025042906,'2026-11-29 09:47:14.773459',87.921,724.276);
INSERT INTO "measurements" VALUES(2,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,1024,256,'float32','sum',2,5,257.2012,3.98131890519950928236e-03,3.98131890519950928236e-03,0,207.889,352.5094,404.36,493.483,493.483,493.483,1.06512459178445411116e+02,30.2154947296286,'2026-11-29 09:47:14.775690',207.889,493.483);
INSERT INTO "measurements" VALUES(3,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,1024,256,'float32','sum',2,5,205.7317,4.97735643072992704066e-03,4.97735643072992704066e-03,0,54.31,233.1784,285.995,401.116,401.116,401.116,1.23439982496110232544e+02,52.9380004735045,'2026-11-29 09:47:14.777658',54.31,401.116);
INSERT INTO "measurements" VALUES(4,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,1024,256,'float32','sum',2,5,365.7425,2.7997840010389823083e-03,2.7997840010389823083e-03,0,236.571,474.7554,492.752,755.442,755.442,755.442,1.70359461062307900643e+02,3.5883627877072676426e+01,'2026-11-29 09:47:14.779057',236.571,755.442);
INSERT INTO "measurements" VALUES(5,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,8192,2048,'float32','sum',2,5,2.38611499999999978173e+02,3.43319580154351350342e-02,3.43319580154351350342e-02,0,117.375,358.4008,323.191,607.172,607.172,607.172,1.60182431206921080499e+02,4.46936589446566756578e+01,'2026-11-29 09:47:14.801611',117.375,607.172);
INSERT INTO "measurements" VALUES(6,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,8192,2048,'float32','sum',2,5,219.5679,3.73096431673300144016e-02,3.73096431673300144016e-02,0,5.238,415.8654,13.21,1038.794,1038.794,1038.794,4.98307815384667662783e+02,1.19824302619229101191e+02,'2026-11-29 09:47:14.803370',5.238,1038.794);
INSERT INTO "measurements" VALUES(7,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,8192,2048,'float32','sum',2,5,225.425,3.6340246201619165467e-02,3.6340246201619165467e-02,0,8.322,252.2606,21.832,1076.88,1076.88,1076.88,4.15467201359433431669e+02,1.64697618795576261165e+02,'2026-11-29 09:47:14.804945',8.322,1076.88);
INSERT INTO "measurements" VALUES(8,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,8192,2048,'float32','sum',2,5,12.722,6.43923911334695842079e-01,6.43923911334695842079e-01,0,9.224,14.624,9.765,30.636,30.636,30.636,8.19474360794772,5.60362664657256530614e+01,'2026-11-29 09:47:14.806460',9.224,30.636);
INSERT INTO "measurements" VALUES(9,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,65536,16384,'float32','sum',2,5,16.2121,4.0424127657737125574e+00,4.0424127657737125574e+00,0,7.691,17.0734,9.274,45.477,45.477,45.477,1.43513661036153639116e+01,8.40568727003137325902e+01,'2026-11-29 09:47:14.826793',7.691,45.477);
INSERT INTO "measurements" VALUES(10,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,65536,16384,'float32','sum',2,5,8.6047,7.61630271828187055405e+00,7.61630271828187055405e+00,0,6.519,8.95099999999999873523e+00,7.641,12.608,12.608,12.608,2.475110906606005301e+00,2.76517808804156608451e+01,'2026-11-29 09:47:14.826932',6.519,12.608);
INSERT INTO "measurements" VALUES(11,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,65536,16384,'float32','sum',2,5,8.71506199999999921559e+02,7.51985470671350381133e-02,7.51985470671350381133e-02,0,53.64,1105.3966,68.762,2758.589,2758.589,2758.589,1.28097110474414694182e+03,1.15883394678810020645e+02,'2026-11-29 09:47:14.827080',53.64,2758.589);
INSERT INTO "measurements" VALUES(12,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,65536,16384,'float32','sum',2,5,4.10038299999999935599e+02,1.59828972074072123144e-01,1.59828972074072123144e-01,0,58.106,534.0956,156.934,1928.225,1928.225,1928.225,7.04558969739964254582e+02,1.31916265503772024204e+02,'2026-11-29 09:47:14.833552',58.106,1928.225);
CREATE TABLE members (
	attempt_id INTEGER NOT NULL, 
	member INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	slots INTEGER NOT NULL, 
	first_rank INTEGER NOT NULL, 
	phase TEXT NOT NULL, 
	proxy JSON, 
	last_sequence INTEGER NOT NULL, ready_at DATETIME, running_at DATETIME, ended_at DATETIME, clean_at DATETIME, clock_offset_seconds DOUBLE, clock_error_seconds DOUBLE, 
	CONSTRAINT pk_members PRIMARY KEY (attempt_id, member), 
	CONSTRAINT fk_members_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_members_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
INSERT INTO "members" VALUES(1,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 46613, "proxy_id": 0}',42,'2026-11-29 09:47:13.892576','2026-11-29 09:47:14.767751','2026-11-29 09:47:15.120753','2026-11-29 09:47:15.234587',-0.004006,0.005246);
INSERT INTO "members" VALUES(2,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 35783, "proxy_id": 0}',12,'2026-11-29 09:47:15.591254','2026-11-29 09:47:18.078548','2026-11-29 09:47:34.238717','2026-11-29 09:47:34.653125',-0.000124,0.00182);
CREATE TABLE "nodes" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	address TEXT NOT NULL, 
	slots INTEGER NOT NULL, 
	metrics_address TEXT NOT NULL, 
	inventory JSON NOT NULL, 
	versions JSON NOT NULL, 
	labels JSON NOT NULL, 
	desired TEXT NOT NULL, 
	observed TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	registered_at DATETIME NOT NULL, 
	last_heartbeat_at DATETIME NOT NULL, 
	label_overrides JSON DEFAULT '{}' NOT NULL, 
	revision INTEGER DEFAULT 1 NOT NULL, 
	desired_reason TEXT DEFAULT '' NOT NULL, 
	desired_by TEXT, 
	desired_at DATETIME, 
	observed_reason TEXT DEFAULT '' NOT NULL, 
	clock_offset_seconds DOUBLE, 
	expected_slots INTEGER DEFAULT 0 NOT NULL, 
	expected_gpus INTEGER DEFAULT 0 NOT NULL, 
	missing TEXT DEFAULT '' NOT NULL, 
	removed_at DATETIME, clock_error_seconds DOUBLE, leaves_at DATETIME, 
	CONSTRAINT pk_nodes PRIMARY KEY (id), 
	CONSTRAINT uq_nodes_name UNIQUE (name)
);
INSERT INTO "nodes" VALUES(1,'vm','127.0.0.1',4,'127.0.0.1:19008','{"hostname": "vm", "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "AMD EPYC", "cores": 2, "memory_bytes": 25276502016, "gpus": [], "nics": [{"name": "eth0", "speed_mbit_per_s": null, "addresses": ["192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1"]}, {"name": "rslab-1d9bfe", "speed_mbit_per_s": 10000, "addresses": ["10.213.141.254", "fe80::ccb5:51ff:fefe:42a"]}]}','{"ringscope": "0.1.0", "python": "3.11.7", "mpi4py": "4.1.2", "numpy": "2.4.6", "mpi": "MPICH 5.0.2"}','{}','active','ready',1,'2026-11-29 09:47:13.481039','2026-11-29 09:47:34.817808','{}',1,'',NULL,NULL,'',-0.000124,4,0,'',NULL,0.001844,NULL);
CREATE TABLE pulses (
	attempt_id INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	heard_at DATETIME NOT NULL, 
	time_us BIGINT NOT NULL, 
	ranks JSON NOT NULL, 
	CONSTRAINT pk_pulses PRIMARY KEY (attempt_id, node_id), 
	CONSTRAINT fk_pulses_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_pulses_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
CREATE TABLE quarantined_slots (
	node_id INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	message TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_quarantined_slots PRIMARY KEY (node_id, slot), 
	CONSTRAINT fk_quarantined_slots_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_quarantined_slots_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id) ON DELETE CASCADE
);
CREATE TABLE rank_buckets (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	backward_us DOUBLE NOT NULL, 
	buckets JSON NOT NULL, 
	CONSTRAINT pk_rank_buckets PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_buckets_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "rank_buckets" VALUES(2,1,3,1507.45,'[{"bytes": 340008, "ready_us": 1461.342, "start_us": 1514.551, "end_us": 42159.653}]');
INSERT INTO "rank_buckets" VALUES(2,0,3,1451.387,'[{"bytes": 340008, "ready_us": 1406.34, "start_us": 1459.319, "end_us": 9768.106}]');
CREATE TABLE rank_totals (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	first_step INTEGER NOT NULL, 
	last_step INTEGER NOT NULL, 
	samples BIGINT NOT NULL, 
	duration_us DOUBLE NOT NULL, 
	compute_us DOUBLE NOT NULL, 
	communication_us DOUBLE NOT NULL, 
	exposed_us DOUBLE NOT NULL, 
	last_loss DOUBLE, 
	CONSTRAINT pk_rank_totals PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_totals_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "rank_totals" VALUES(2,1,0,3,96,83095.407,5.62815499999999701696e+03,77436.817,7.74672520000000076846e+04,2.26310396194458);
INSERT INTO "rank_totals" VALUES(2,0,0,3,96,87985.519,19629.997,68319.648,68355.522,2.24981331825256347656e+00);
CREATE TABLE schedules (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	cron TEXT NOT NULL, 
	timezone TEXT NOT NULL, 
	overlap TEXT NOT NULL, 
	spec JSON NOT NULL, 
	user TEXT NOT NULL, 
	is_enabled BOOLEAN NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	next_fire_at DATETIME, 
	last_fire_at DATETIME, 
	last_job_id BIGINT, 
	last_outcome TEXT NOT NULL, 
	CONSTRAINT pk_schedules PRIMARY KEY (id), 
	CONSTRAINT uq_schedules_name UNIQUE (name)
);
INSERT INTO "schedules" VALUES(1,'nightly','0 3 * * *','UTC','skip','{"name": "", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "ranks_per_node": null, "nodes": null, "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "hang_seconds": 60, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',1,1,'2026-11-29 09:47:35.301154','2026-11-30 03:00:00.000000',NULL,NULL,'');
CREATE TABLE steps (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	op TEXT NOT NULL, 
	algorithm TEXT NOT NULL, 
	transport TEXT NOT NULL, 
	in_place BOOLEAN NOT NULL, 
	bytes BIGINT NOT NULL, 
	started_at_ns BIGINT NOT NULL, 
	duration_us DOUBLE NOT NULL, 
	compute_us DOUBLE NOT NULL, 
	communication_us DOUBLE NOT NULL, 
	exposed_us DOUBLE NOT NULL, 
	loss DOUBLE, samples INTEGER, lag INTEGER, 
	CONSTRAINT pk_steps PRIMARY KEY (id), 
	CONSTRAINT fk_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_steps_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "steps" VALUES(1,1,1,0,0,'all_reduce','ring','shared_memory',0,1024,1795945634773459233,136.012,0.0,136.012,136.012,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(2,1,1,0,1,'all_reduce','ring','shared_memory',0,1024,1795945634773595245,589.867,0.0,589.867,589.867,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(3,1,1,0,2,'all_reduce','ring','shared_memory',0,1024,1795945634774185112,87.921,0.0,87.921,87.921,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(4,1,1,0,3,'all_reduce','ring','shared_memory',0,1024,1795945634774273033,43.915,0.0,43.915,43.915,NULL,NULL,NULL);
CREATE TABLE "tokens" (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	role TEXT NOT NULL, 
	sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	note TEXT DEFAULT '' NOT NULL, 
	node TEXT, 
	parent_id INTEGER, 
	created_by TEXT DEFAULT 'system' NOT NULL, 
	last_used_at DATETIME, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256), 
	CONSTRAINT fk_tokens_parent_id_tokens FOREIGN KEY(parent_id) REFERENCES tokens (id) ON DELETE CASCADE
);
INSERT INTO "tokens" VALUES(1,'admin','personal','admin','9eaeb3c78ab054535bb29f3bdfd7f3d9638e4277c758273d5cb5917e0a729d22','2026-11-29 09:47:09.567172',NULL,'',NULL,NULL,'system','2026-11-29 09:47:35.387479');
INSERT INTO "tokens" VALUES(2,'agent','agent','agent','8eb462d14ba4f8f7ccd7e6b590f14b5c8a14e41c7886dbc4addc5fce684a4b87','2026-11-29 09:47:09.579110',NULL,'',NULL,NULL,'system','2026-11-29 09:47:34.817691');
INSERT INTO "tokens" VALUES(3,'admin','login','admin','74b802f1e77b72b9e96e1c04767f7217370a2a6a24497cd963f70411f53b2db9','2026-11-29 09:47:13.548981','2026-11-30 09:47:13.548981','',NULL,1,'admin',NULL);
INSERT INTO "tokens" VALUES(4,'colleague','personal','viewer','ecc75d4978a70afa63be50e42ceaae942592ebcbd0761f2ab7e04e50e2239287','2026-11-29 09:47:35.387746',NULL,'',NULL,NULL,'admin',NULL);
CREATE TABLE traces (
	id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	collective TEXT NOT NULL, 
	algorithm TEXT NOT NULL, 
	chosen_algorithm TEXT, 
	transport TEXT NOT NULL, 
	in_place BOOLEAN NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	dtype TEXT NOT NULL, 
	started_at_ns BIGINT NOT NULL, 
	duration_ns BIGINT NOT NULL, 
	transfers JSON NOT NULL, 
	left_out INTEGER NOT NULL, 
	CONSTRAINT pk_traces PRIMARY KEY (id), 
	CONSTRAINT fk_traces_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_traces_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
CREATE TABLE usage (
	user TEXT NOT NULL, 
	slot_seconds DOUBLE NOT NULL, 
	updated_at DATETIME NOT NULL, 
	CONSTRAINT pk_usage PRIMARY KEY (user)
);
INSERT INTO "usage" VALUES('admin',4.1732219090790231065e+01,'2026-11-29 09:47:34.851894');
CREATE TABLE webhook_deliveries (
	id INTEGER NOT NULL, 
	webhook_id INTEGER NOT NULL, 
	message_id TEXT NOT NULL, 
	event_type TEXT NOT NULL, 
	body TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tries INTEGER NOT NULL, 
	next_attempt_at DATETIME, 
	last_status INTEGER, 
	last_error TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	delivered_at DATETIME, 
	CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_deliveries_webhook_id_webhooks FOREIGN KEY(webhook_id) REFERENCES webhooks (id) ON DELETE CASCADE
);
CREATE TABLE webhooks (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	url TEXT NOT NULL, 
	secret TEXT NOT NULL, 
	events JSON NOT NULL, 
	user TEXT NOT NULL, 
	is_enabled BOOLEAN NOT NULL, 
	revision INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_webhooks PRIMARY KEY (id), 
	CONSTRAINT uq_webhooks_name UNIQUE (name)
);
CREATE INDEX ix_events_target ON events (target_type, target_id, id);
CREATE UNIQUE INDEX uq_allocations_active_slot ON allocations (node_id, slot) WHERE is_active;
CREATE INDEX ix_log_lines_job_id ON log_lines (job_id);
CREATE INDEX ix_measurements_job_id ON measurements (job_id);
CREATE INDEX ix_members_node_phase ON members (node_id, phase);
CREATE INDEX ix_schedules_next_fire_at ON schedules (next_fire_at);
CREATE INDEX ix_webhook_deliveries_state_next_attempt_at ON webhook_deliveries (state, next_attempt_at);
CREATE INDEX ix_webhook_deliveries_webhook_id_id ON webhook_deliveries (webhook_id, id);
CREATE INDEX ix_events_actor_id ON events (actor, id);
CREATE INDEX ix_events_time ON events (time);
CREATE INDEX ix_jobs_state_id ON jobs (state, id);
CREATE INDEX ix_jobs_user_id ON jobs (user, id);
CREATE INDEX ix_jobs_user_state_id ON jobs (user, state, id);
CREATE INDEX ix_measurements_attempt_id ON measurements (attempt_id);
CREATE INDEX ix_steps_attempt_id_id ON steps (attempt_id, id);
CREATE INDEX ix_tokens_parent_id ON tokens (parent_id);
CREATE INDEX ix_attempts_uncharged ON attempts (finished_at) WHERE charged_at IS NULL;
CREATE INDEX ix_attempts_job_id ON attempts (job_id);
CREATE INDEX ix_insights_job_id ON insights (job_id);
CREATE INDEX ix_insights_attempt_id ON insights (attempt_id);
CREATE INDEX ix_insights_active ON insights (job_id) WHERE until IS NULL;
CREATE INDEX ix_epochs_job_id ON epochs (job_id);
CREATE INDEX ix_traces_attempt_id ON traces (attempt_id);
CREATE INDEX ix_jobs_busbw_gb_per_s_id ON jobs (busbw_gb_per_s, id);
CREATE INDEX ix_jobs_name_id ON jobs (name, id);
COMMIT;

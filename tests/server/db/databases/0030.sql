BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0030');
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
	is_hearsay BOOLEAN DEFAULT 0 NOT NULL, tally JSON, tuning JSON, disturbed_by TEXT, progressed_at DATETIME, start_limit_seconds DOUBLE, 
	CONSTRAINT pk_attempts PRIMARY KEY (id), 
	CONSTRAINT fk_attempts_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT uq_attempts_job_id UNIQUE (job_id, number)
);
INSERT INTO "attempts" VALUES(1,1,1,'',1,'2026-11-29 09:49:46.084008','2026-11-29 09:49:48.277894','2026-11-29 09:49:51.676717','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_NODE_ADDRESS": "127.0.0.1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/1/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/1/stacks", "RINGSCOPE_STEPS": "/proc/27876/fd/7", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/1/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945788508099674}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 27932, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945788437174343}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 27933, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945788438803985}]}','completed','',NULL,'2026-11-29 09:49:51.984434',NULL,0,'{"collective": "all_reduce", "ranks": 2, "cores": 2, "wrong": 0, "curves": [{"algorithm": "ring", "transport": "shared_memory", "in_place": false, "points": {"1024": [7691.950999999999, 1, 5, 0.0, null, 256, 1024.0, 18640.992, true, [], 1], "8192": [5779.3768, 1, 5, 0.0, null, 2048, 8192.0, 10905.907, true, [], 1], "65536": [4534.9012999999995, 1, 5, 0.0, null, 16384, 65536.0, 7676.217, true, [], 1]}}, {"algorithm": "ring", "transport": "shared_memory", "in_place": true, "points": {"1024": [8887.0616, 1, 5, 0.0, null, 256, 1024.0, 15837.846, true, [], 1], "8192": [4756.7968, 1, 5, 0.0, null, 2048, 8192.0, 10779.179, true, [], 1], "65536": [5405.7484, 1, 5, 0.0, null, 16384, 65536.0, 8031.946, true, [], 1]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": false, "points": {"1024": [12422.0634, 1, 5, 0.0, null, 256, 1024.0, 23080.129, true, [], 1], "8192": [6418.0978, 1, 5, 0.0, null, 2048, 8191.999999999998, 12252.197, true, [], 1], "65536": [9015.4429, 1, 5, 0.0, null, 16384, 65536.0, 19488.742, true, [], 1]}}, {"algorithm": "mpi", "transport": "mpi", "in_place": true, "points": {"1024": [9619.427099999999, 1, 5, 0.0, null, 256, 1024.0, 34200.365, true, [], 1], "8192": [5533.5334, 1, 5, 0.0, null, 2048, 8192.0, 18571.008, true, [], 1], "65536": [9080.0535, 1, 5, 0.0, null, 16384, 65536.0, 18760.039, true, [], 1]}}], "rows": 12, "limit_gb_per_s": null}',NULL,'Other load took 81 % of the processors of node vm.','2026-11-29 09:49:48.277894',NULL);
INSERT INTO "attempts" VALUES(2,2,1,'',1,'2026-11-29 09:49:52.077441','2026-11-29 09:49:56.987898','2026-11-29 09:50:13.055643','{"nodes": [{"rank": 0, "host": "vm", "ranks": [0, 1], "versions": {"python": "3.11.7", "ringscope": "0.1.0", "numpy": "2.4.6", "mpi4py": "4.1.2", "mpich": "5.0.2", "ml-dtypes": "0.6.0", "numkong": "7.8.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "5.0", "mpi_library": "MPICH Version: 5.0.2", "kernel": "Linux 6.18.44-fc-v669", "glibc": "2.36"}, "variables": {"OMP_NUM_THREADS": "1", "RINGSCOPE_CHECKPOINTS": "/var/lib/ringscope/agent/checkpoints/job-2", "RINGSCOPE_NODE_ADDRESS": "127.0.0.1", "RINGSCOPE_POSITIONS": "/var/lib/ringscope/agent/attempts/2/positions", "RINGSCOPE_STACKS": "/var/lib/ringscope/agent/attempts/2/stacks", "RINGSCOPE_TUNING": "/var/lib/ringscope/agent/attempts/2/tuning.json"}, "cpu_model": "AMD EPYC", "cores": 2, "physical_cores": 2, "sockets": 1, "numa_nodes": 1, "memory_bytes": 25276502016, "time_ns": 1795945802793658023}], "ranks": [{"rank": 0, "local_rank": 0, "ranks": 2, "pid": 28132, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945802768620465}, {"rank": 1, "local_rank": 1, "ranks": 2, "pid": 28133, "host": "vm", "device": "cpu", "cpus": [0, 1], "numa_node": 0, "time_ns": 1795945802767670373}]}','completed','',NULL,'2026-11-29 09:50:13.068592',NULL,0,NULL,'{"version": 1, "curves": [], "machine": null}',NULL,'2026-11-29 09:49:56.987898',NULL);
CREATE TABLE diagnosis_verdicts (
	attempt_id INTEGER NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_diagnosis_verdicts PRIMARY KEY (attempt_id), 
	CONSTRAINT fk_diagnosis_verdicts_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
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
INSERT INTO "epochs" VALUES(1,2,2,0,1,4,2.28954461216926574707e+00,2.20035035875108508918e+00,2.52777777777777767909e-01,256,12548.598,2.21356949998607888119e+04,1.96863250000660627847e+04,'2026-11-29 09:50:11.192468');
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
INSERT INTO "events" VALUES(1,'2026-11-29 09:49:45.080819','join','node.joined','node','vm',NULL,NULL,'Node vm got a token of its own.');
INSERT INTO "events" VALUES(2,'2026-11-29 09:49:45.375285','node/vm','node.registered','node','vm',NULL,'ready','');
INSERT INTO "events" VALUES(3,'2026-11-29 09:49:45.663535','admin','login_link.created','user','admin',NULL,'admin','');
INSERT INTO "events" VALUES(4,'2026-11-29 09:49:45.684150','admin','job.submitted','job','1',NULL,'queued','');
INSERT INTO "events" VALUES(5,'2026-11-29 09:49:46.084008','system','job.starting','job','1','queued','starting','');
INSERT INTO "events" VALUES(6,'2026-11-29 09:49:48.277894','system','job.running','job','1','starting','running','');
INSERT INTO "events" VALUES(7,'2026-11-29 09:49:51.487049','system','job.stopping','job','1','running','stopping','completed');
INSERT INTO "events" VALUES(8,'2026-11-29 09:49:51.676717','system','job.succeeded','job','1','stopping','succeeded','completed');
INSERT INTO "events" VALUES(9,'2026-11-29 09:49:51.705206','admin','job.submitted','job','2',NULL,'queued','');
INSERT INTO "events" VALUES(10,'2026-11-29 09:49:52.077441','system','job.starting','job','2','queued','starting','');
INSERT INTO "events" VALUES(11,'2026-11-29 09:49:56.987898','system','job.running','job','2','starting','running','');
INSERT INTO "events" VALUES(12,'2026-11-29 09:50:12.943529','system','job.stopping','job','2','running','stopping','completed');
INSERT INTO "events" VALUES(13,'2026-11-29 09:50:13.055643','system','job.succeeded','job','2','stopping','succeeded','completed');
INSERT INTO "events" VALUES(14,'2026-11-29 09:50:13.445301','admin','job.submitted','job','3',NULL,'queued','');
INSERT INTO "events" VALUES(15,'2026-11-29 09:50:13.472793','admin','job.cancelled','job','3','queued','cancelled','Cancelled by admin.');
INSERT INTO "events" VALUES(16,'2026-11-29 09:50:13.514846','admin','schedule.created','schedule','1',NULL,'nightly','');
INSERT INTO "events" VALUES(17,'2026-11-29 09:50:13.530863','admin','token.created','token','5',NULL,'viewer','personal token for colleague');
CREATE TABLE "idempotency_keys" (
	user TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	body_sha256 TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	target_type TEXT DEFAULT 'job' NOT NULL, 
	target_id BIGINT DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_idempotency_keys PRIMARY KEY (user, "key")
);
INSERT INTO "idempotency_keys" VALUES('admin','1795945785.6795676','aad98392abc84a6bcd09640c16acf6b33527ba79f263626267347f350dfa57b9','2026-11-29 09:49:45.688638','job',1);
INSERT INTO "idempotency_keys" VALUES('admin','1795945791.702408','f377f88b9de7ac4a3f81e6e493fdb3d96285515fa7fe51139feeb21483c422ee','2026-11-29 09:49:51.707460','job',2);
INSERT INTO "idempotency_keys" VALUES('admin','1795945813.4389238','f3602b714782a62ef8dd810a66f198f4b889d2bdee3f3a806d8c5961e5649aaf','2026-11-29 09:50:13.451731','job',3);
CREATE TABLE imported_files (
	id INTEGER NOT NULL, 
	sha256 TEXT NOT NULL, 
	name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_imported_files PRIMARY KEY (id), 
	CONSTRAINT uq_imported_files_sha256 UNIQUE (sha256)
);
CREATE TABLE imports (
	job_id INTEGER NOT NULL, 
	file_id INTEGER NOT NULL, 
	given JSON NOT NULL, 
	facts JSON NOT NULL, 
	points JSON NOT NULL, 
	rows JSON NOT NULL, 
	tally JSON NOT NULL, 
	document JSON NOT NULL, 
	adopted_at DATETIME, 
	adopted_by TEXT, 
	CONSTRAINT pk_imports PRIMARY KEY (job_id), 
	CONSTRAINT fk_imports_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_imports_file_id_imported_files FOREIGN KEY(file_id) REFERENCES imported_files (id)
);
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
	excluded_nodes JSON DEFAULT '[]' NOT NULL, collective TEXT, algorithms TEXT DEFAULT '' NOT NULL, busbw_gb_per_s DOUBLE, note TEXT DEFAULT '' NOT NULL, judgement TEXT, env_sha256 TEXT, 
	CONSTRAINT pk_jobs PRIMARY KEY (id), 
	CONSTRAINT uq_jobs_schedule_id UNIQUE (schedule_id, fire_time), 
	CONSTRAINT fk_jobs_schedule_id_schedules FOREIGN KEY(schedule_id) REFERENCES schedules (id) ON DELETE SET NULL, 
	CONSTRAINT fk_jobs_cloned_from_jobs FOREIGN KEY(cloned_from) REFERENCES jobs (id)
);
INSERT INTO "jobs" VALUES(1,'sums','benchmark','{"name": "sums", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring", "mpi"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 1024, "max_bytes": 65536, "step_factor": 8, "step_bytes": null, "cycles": 1, "warmup": 1, "iterations": 5, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "min_ranks": null, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:49:45.684150','2026-11-29 09:49:48.277894','2026-11-29 09:49:51.676717',NULL,NULL,NULL,12,'{"kind": "benchmark", "best": [{"algorithm": "ring", "transport": "shared_memory", "busbw_gb_per_s": 0.014451472185293206, "size_bytes": 65536, "in_place": false, "iterations": 5, "is_unstable": true}, {"algorithm": "mpi", "transport": "mpi", "busbw_gb_per_s": 0.007269304539658279, "size_bytes": 65536, "in_place": false, "iterations": 5, "is_unstable": true}], "sizes": [{"size_bytes": 1024, "busbw_gb_per_s": 0.00013312617306064485, "is_unstable": true}, {"size_bytes": 8192, "busbw_gb_per_s": 0.0014174538680364291, "is_unstable": true}, {"size_bytes": 65536, "busbw_gb_per_s": 0.014451472185293206, "is_unstable": true}], "min_size_p99_us": 18640.992, "min_size_iterations": 5, "limit_gb_per_s": null, "ranks": 2, "cores": 2, "wrong": 0, "winners": [], "results": [], "same_messages": [], "verdict": "No winner: a comparison needs at least 12 iterations of each, and there are 5.", "explanation": ""}',2,1,NULL,NULL,NULL,'2026-11-29 09:49:45.684150',NULL,NULL,'[]','all_reduce','ring,mpi',NULL,'','unknown',NULL);
INSERT INTO "jobs" VALUES(2,'training','training','{"name": "training", "kind": "training", "benchmark": null, "training": {"strategy": "mirrored", "all_reduce": "auto", "transport": "auto", "device": "auto", "servers": 1, "consistency": "sync", "staleness": null, "sync_every": 8, "outer_momentum": 0.0, "outer_learning_rate": 1.0, "weights": "samples", "split": "shared", "stages": 2, "micro_batches": 4, "schedule": "1f1b", "model": "mlp", "model_arguments": {}, "dataset": {"name": "digits", "file": null, "load": "load", "workers": 0, "prefetch": 2, "path": null, "samples": null, "validation_percent": 20}, "global_batch_size": 64, "batch_split": "equal", "epochs": 10, "max_steps": 4, "optimizer": "sgd", "learning_rate": 0.05, "momentum": 0.9, "weight_decay": 0.0, "precision": "float32", "accumulation_steps": 1, "bucket_bytes": 26214400, "overlap": true, "compression": "none", "top_k_percent": 1.0, "powersgd_rank": 2, "clip_norm": null, "on_nan": "stop", "verify_every": null, "checkpoint_every_steps": null, "resume_from": null, "target_accuracy": null, "seed": 0, "timeout_seconds": 300}, "script": null, "placement": {"ranks": 2, "min_ranks": null, "ranks_per_node": null, "nodes": 1, "node_names": [], "selector": {}, "exclusive": false, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','succeeded','completed','','2026-11-29 09:49:51.705206','2026-11-29 09:49:56.987898','2026-11-29 09:50:13.055643',NULL,NULL,NULL,4,'{"kind": "training", "loss": 2.2895446121692657, "validation_loss": 2.200350358751085, "validation_accuracy": 0.25277777777777777, "samples_per_second": 22686.564875044693, "step_seconds": 0.008463172, "communication_seconds": 0.004763854, "exposed_communication_seconds": 0.004780303, "input_seconds": 0.00034833899999999997, "epochs_done": 1, "steps_done": 4, "steps_total": 4, "seconds_to_target": null, "scaling_efficiency": null, "scaling_baseline_job_id": null}',2,1,NULL,NULL,NULL,'2026-11-29 09:49:51.705206',NULL,NULL,'[]',NULL,'auto',NULL,'',NULL,NULL);
INSERT INTO "jobs" VALUES(3,'never','benchmark','{"name": "never", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 4, "min_ranks": null, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',50,'{}','cancelled','user_cancelled','Cancelled by admin.','2026-11-29 09:50:13.445301',NULL,'2026-11-29 09:50:13.472793',NULL,NULL,NULL,0,'{"kind": "benchmark", "best": [], "sizes": [], "min_size_p99_us": null, "min_size_iterations": null, "limit_gb_per_s": null, "ranks": 0, "cores": null, "wrong": 0, "winners": [], "results": [], "same_messages": [], "verdict": "", "explanation": ""}',4,1,NULL,NULL,NULL,'2026-11-29 09:50:13.445301',NULL,NULL,'[]','all_reduce','ring',NULL,'',NULL,NULL);
CREATE TABLE leases (
	name TEXT NOT NULL, 
	holder TEXT NOT NULL, 
	fence BIGINT NOT NULL, 
	expires_at DATETIME NOT NULL, 
	CONSTRAINT pk_leases PRIMARY KEY (name)
);
INSERT INTO "leases" VALUES('scheduler','d7bc9c8e6e6b31c7',1,'2026-11-29 09:50:17.585977');
CREATE TABLE link_measurements (
	id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	job_id INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	first_node_id INTEGER NOT NULL, 
	second_node_id INTEGER NOT NULL, 
	ending TEXT NOT NULL, 
	is_loaded BOOLEAN NOT NULL, 
	size_bytes BIGINT NOT NULL, 
	both_ways BOOLEAN NOT NULL, 
	there JSON, 
	back JSON, 
	latency_us DOUBLE, 
	measured_at DATETIME NOT NULL, 
	CONSTRAINT pk_link_measurements PRIMARY KEY (id), 
	CONSTRAINT fk_link_measurements_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_link_measurements_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id), 
	CONSTRAINT fk_link_measurements_first_node_id_nodes FOREIGN KEY(first_node_id) REFERENCES nodes (id), 
	CONSTRAINT fk_link_measurements_second_node_id_nodes FOREIGN KEY(second_node_id) REFERENCES nodes (id)
);
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
INSERT INTO "log_lines" VALUES(1,1,1,'vm',NULL,'stdout',1795945791326537579,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
INSERT INTO "log_lines" VALUES(2,2,2,'vm',0,'stdout',1795945807425844905,'batch_all_reduce: 1 all-reduce with algorithm = ring, 332 KiB a step, num_replicas = 2, transport = shared_memory. Model: ring 13.63 us, direct 13.63 us, mpi 80.86 us; no measurement near 332 KiB for all_reduce of float32 in place, 2 ranks on 1 node over shared_memory.');
INSERT INTO "log_lines" VALUES(3,2,2,'vm',NULL,'stdout',1795945812899811030,'[mpiexec@vm] Exit codes: [127.0.0.1] 0,0');
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
	measured_at DATETIME NOT NULL, p10_us DOUBLE, p90_us DOUBLE, time_low_us DOUBLE, time_high_us DOUBLE, p5_us DOUBLE, cores INTEGER, channels INTEGER, rounds_us JSON, 
	CONSTRAINT pk_measurements PRIMARY KEY (id), 
	CONSTRAINT fk_measurements_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_measurements_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "measurements" VALUES(1,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,1024,256,'float32','sum',2,5,7.69195099999999911235e+03,1.33126173060644847423e-04,1.33126173060644847423e-04,0,1713.997,11443.1016,16519.199,18640.992,18640.992,18640.992,7.52236500526940926646e+03,6.57371162838352205435e+01,'2026-11-29 09:49:49.066337',1713.997,18640.992,NULL,NULL,1713.997,2,1,'[2840.59, 18641.0, 16519.2, 17500.7, 1714.0]');
INSERT INTO "measurements" VALUES(2,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,1024,256,'float32','sum',2,5,8887.0616,1.15223686533240621222e-04,1.15223686533240621222e-04,0,4531.144,10442.294,8691.476,15837.846,15837.846,15837.846,4230.22433220386,4.05104887125746557794e+01,'2026-11-29 09:49:49.005125',4531.144,15837.846,NULL,NULL,4531.144,2,1,'[8430.14, 15837.8, 14720.9, 8691.48, 4531.14]');
INSERT INTO "measurements" VALUES(3,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,1024,256,'float32','sum',2,5,12422.0634,8.24339698668741374144e-05,8.24339698668741374144e-05,0,2342.702,14713.0812,13841.36,23080.129,23080.129,23080.129,7.75636149120257050544e+03,52.7174518088201,'2026-11-29 09:49:49.034593',2342.702,23080.129,NULL,NULL,2342.702,2,NULL,'[13841.4, 23080.1, 22857.1, 2342.7, 11444.1]');
INSERT INTO "measurements" VALUES(4,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,1024,256,'float32','sum',2,5,9.61942709999999897262e+03,1.06451245937504954423e-04,1.06451245937504954423e-04,0,574.854,1.47721163999999989752e+04,13096.102,34200.365,34200.365,34200.365,1.08732939000509413747e+04,7.36068793774935556948e+01,'2026-11-29 09:49:48.979911',574.854,34200.365,NULL,NULL,574.854,2,NULL,'[14218.5, 34200.4, 574.854, 13096.1, 11770.8]');
INSERT INTO "measurements" VALUES(5,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,8192,2048,'float32','sum',2,5,5779.3768,1.41745386803642913625e-03,1.41745386803642913625e-03,0,2585.112,6.55846260000000074808e+03,5410.481,10905.907,10905.907,10905.907,3.67154204560659263743e+03,5.59817486129537726907e+01,'2026-11-29 09:49:49.584761',2585.112,10905.907,NULL,NULL,2585.112,2,1,'[10905.9, 5410.48, 2585.11, 10888.5, 3002.31]');
INSERT INTO "measurements" VALUES(6,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,8192,2048,'float32','sum',2,5,4756.7968,1.72216732066419152269e-03,1.72216732066419152269e-03,0,2438.273,5848.1126,4567.618,10779.179,10779.179,10779.179,3.00329224823842923794e+03,5.13548977876798957726e+01,'2026-11-29 09:49:49.612969',2438.273,10779.179,NULL,NULL,2438.273,2,1,'[3792.84, 2438.27, 7662.66, 10779.2, 4567.62]');
INSERT INTO "measurements" VALUES(7,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,8192,2048,'float32','sum',2,5,6418.0978,1.27639064646225858408e-03,1.27639064646225858408e-03,0,1638.835,7726.2936,7427.878,12252.197,12252.197,12252.197,3.5883678521242832176e+03,4.64435865098924409704e+01,'2026-11-29 09:49:49.608819',1638.835,12252.197,NULL,NULL,1638.835,2,NULL,'[1638.84, 7071.64, 7427.88, 10240.9, 12252.2]');
INSERT INTO "measurements" VALUES(8,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,8192,2048,'float32','sum',2,5,5533.5334,1.48042840041410052667e-03,1.48042840041410052667e-03,0,1492.157,6.58371199999999953417e+03,4736.339,18571.008,18571.008,18571.008,6.1469618036275778649e+03,9.33662013713172456164e+01,'2026-11-29 09:49:49.619446',1492.157,18571.008,NULL,NULL,1492.157,2,NULL,'[2804.4, 18571.0, 1492.16, 5314.66, 4736.34]');
INSERT INTO "measurements" VALUES(9,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',0,0,65536,16384,'float32','sum',2,5,4.53490129999999953738e+03,1.44514721852932060547e-02,1.44514721852932060547e-02,0,854.8,4735.3232,5208.0,7676.217,7676.217,7676.217,2712.20066478492,57.275935564122,'2026-11-29 09:49:49.969270',854.8,7676.217,NULL,NULL,854.8,2,1,'[7492.73, 7676.22, 5208.0, 854.8, 2444.87]');
INSERT INTO "measurements" VALUES(10,1,1,'all_reduce','ring',NULL,NULL,'shared_memory',1,0,65536,16384,'float32','sum',2,5,5405.7484,1.21233907223651030116e-02,1.21233907223651030116e-02,0,2374.358,6156.6772,6872.323,8031.946,8031.946,8031.946,1966.35248417728,3.19385347046825849312e+01,'2026-11-29 09:49:49.950688',2374.358,8031.946,NULL,NULL,2374.358,2,1,'[6372.73, 6872.32, 7132.03, 2374.36, 8031.95]');
INSERT INTO "measurements" VALUES(11,1,1,'all_reduce','mpi',NULL,NULL,'mpi',0,0,65536,16384,'float32','sum',2,5,9015.4429,7.26930453965827887141e-03,7.26930453965827887141e-03,0,2505.634,9.90534860000000116995e+03,7912.629,19488.742,19488.742,19488.742,5.65748691615054758591e+03,5.71154751297753051622e+01,'2026-11-29 09:49:49.990093',2505.634,19488.742,NULL,NULL,2505.634,2,NULL,'[7636.23, 7912.63, 19488.7, 2505.63, 11983.5]');
INSERT INTO "measurements" VALUES(12,1,1,'all_reduce','mpi',NULL,NULL,'mpi',1,0,65536,16384,'float32','sum',2,5,9080.0535,7.21757861889249854869e-03,7.21757861889249854869e-03,0,1691.303,9.65620959999999831785e+03,12365.355,18760.039,18760.039,18760.039,6.52270723632203498721e+03,6.75493543172678840864e+01,'2026-11-29 09:49:50.009984',1691.303,18760.039,NULL,NULL,1691.303,2,NULL,'[2649.57, 18760.0, 12814.8, 12365.4, 1691.3]');
CREATE TABLE members (
	attempt_id INTEGER NOT NULL, 
	member INTEGER NOT NULL, 
	node_id INTEGER NOT NULL, 
	slots INTEGER NOT NULL, 
	first_rank INTEGER NOT NULL, 
	phase TEXT NOT NULL, 
	proxy JSON, 
	last_sequence INTEGER NOT NULL, ready_at DATETIME, running_at DATETIME, ended_at DATETIME, clean_at DATETIME, clock_offset_seconds DOUBLE, clock_error_seconds DOUBLE, load JSON, 
	CONSTRAINT pk_members PRIMARY KEY (attempt_id, member), 
	CONSTRAINT fk_members_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_members_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id)
);
INSERT INTO "members" VALUES(1,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 40047, "proxy_id": 0}',28,'2026-11-29 09:49:46.465163','2026-11-29 09:49:48.277894','2026-11-29 09:49:51.487049','2026-11-29 09:49:51.671589',-0.001034,0.005172,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 4.857858239000052, "busy_seconds": 9.670000000000073, "own_seconds": 1.843705}');
INSERT INTO "members" VALUES(2,0,1,2,0,'clean','{"control_host": "127.0.0.1", "control_port": 34975, "proxy_id": 0}',14,'2026-11-29 09:49:53.390090','2026-11-29 09:49:56.987898','2026-11-29 09:50:12.943529','2026-11-29 09:50:13.051833',-0.001034,0.005525,'{"machine": "32eb165f-6232-4c50-a114-e659116db286", "processors": 2, "seconds": 19.39311650699983, "busy_seconds": 38.38999999999987, "own_seconds": 11.09843}');
CREATE TABLE node_minutes (
	node_id INTEGER NOT NULL, 
	minute DATETIME NOT NULL, 
	load_average DOUBLE, 
	memory_used_bytes BIGINT, 
	network_bytes_per_second DOUBLE, 
	gpu_utilization_ratio DOUBLE, 
	CONSTRAINT pk_node_minutes PRIMARY KEY (node_id, minute), 
	CONSTRAINT fk_node_minutes_node_id_nodes FOREIGN KEY(node_id) REFERENCES nodes (id) ON DELETE CASCADE
);
INSERT INTO "node_minutes" VALUES(1,'2026-11-29 09:50:00.000000',9.45133463541666607454e+00,2139779072,0.0,NULL);
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
	removed_at DATETIME, clock_error_seconds DOUBLE, leaves_at DATETIME, load_average DOUBLE, 
	CONSTRAINT pk_nodes PRIMARY KEY (id), 
	CONSTRAINT uq_nodes_name UNIQUE (name)
);
INSERT INTO "nodes" VALUES(1,'vm','127.0.0.1',4,'127.0.0.1:19030','{"hostname": "vm", "os": "Debian GNU/Linux 12 (bookworm)", "cpu_model": "AMD EPYC", "cores": 2, "memory_bytes": 25276502016, "gpus": [], "nics": [{"name": "eth0", "speed_mbit_per_s": null, "addresses": ["192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1"], "is_virtual": false}, {"name": "rslab-9da0d7", "speed_mbit_per_s": 10000, "addresses": ["10.213.113.254", "fe80::fcd9:96ff:fe7f:dfad"], "is_virtual": true}], "machine": {"hardware": "AMD EPYC; cores [0, 1], 2 at once; NumPy 2.4.6", "cores": 2, "call_us": 0.292785, "turn_us": 3.7499724999999997, "cache_bytes": 16777216, "add_gb_per_s": 46.24982357092449, "copy_gb_per_s": 44.82626538987688, "far_add_gb_per_s": 3.614600864771943, "far_copy_gb_per_s": 3.9614558168597007}, "lacks": [], "only_here": true, "scripts": false, "allow_env": ["NCCL_*", "UCX_*", "FI_*", "MPIR_*", "MPICH_*", "OMP_*", "MKL_*", "OPENBLAS_*", "GLOO_*", "TORCH_*", "TF_*", "CUDA_*", "PYTORCH_*", "HF_*", "RINGSCOPE_USER_*"]}','{"ringscope": "0.1.0", "python": "3.11.7", "mpi4py": "4.1.2", "numpy": "2.4.6", "torch": "2.13.0+cpu", "tensorflow": "2.21.0", "mpi": "MPICH 5.0.2"}','{}','active','ready',1,'2026-11-29 09:49:45.375285','2026-11-29 09:50:13.113779','{}',1,'',NULL,NULL,'',-0.000522,4,0,'',NULL,0.003528,NULL,9.06494140625);
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
INSERT INTO "rank_buckets" VALUES(2,0,3,1037.542,'[{"bytes": 340008, "ready_us": 1004.212, "start_us": 1041.848, "end_us": 1104.691}]');
INSERT INTO "rank_buckets" VALUES(2,1,3,994.468,'[{"bytes": 340008, "ready_us": 956.421, "start_us": 999.185, "end_us": 1086.144}]');
CREATE TABLE rank_pipeline_steps (
	attempt_id INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_rank_pipeline_steps PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_pipeline_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
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
	last_loss DOUBLE, input_us DOUBLE, 
	CONSTRAINT pk_rank_totals PRIMARY KEY (attempt_id, rank), 
	CONSTRAINT fk_rank_totals_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
INSERT INTO "rank_totals" VALUES(2,1,0,3,96,8452.582,3.32507200000000057121e+03,4.76717400000000088777e+03,4783.318,2.26310396194458,344.192);
INSERT INTO "rank_totals" VALUES(2,0,0,3,96,8473.762,3343.988,4760.534,4.77728800000000046552e+03,2.24981331825256347656e+00,352.486);
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
INSERT INTO "schedules" VALUES(1,'nightly','0 3 * * *','UTC','skip','{"name": "", "kind": "benchmark", "benchmark": {"collective": "all_reduce", "algorithms": ["ring"], "transport": "auto", "topology": null, "device": "auto", "dtype": "float32", "op": "sum", "root": 0, "min_bytes": 8, "max_bytes": 67108864, "step_factor": 2, "step_bytes": null, "cycles": 1, "warmup": 5, "iterations": 20, "aggregate": 1, "blocking": 0, "average": "mean", "per_iteration": false, "skip_iterations": 0, "rotate": false, "trace": false, "check": true, "timeout_seconds": 300}, "training": null, "script": null, "placement": {"ranks": 2, "min_ranks": null, "ranks_per_node": null, "nodes": null, "node_names": [], "selector": {}, "exclusive": true, "arrangement": "pack", "same_rack": false, "quiet": false, "gpu_model": null, "min_gpu_memory_bytes": null, "min_memory_bytes": null}, "priority": 50, "time_limit_seconds": 600, "start_seconds": null, "load_seconds": 1800, "hang_seconds": null, "queue_timeout_seconds": null, "hold": false, "max_attempts": 3, "labels": {}}','admin',1,1,'2026-11-29 09:50:13.514846','2026-11-30 03:00:00.000000',NULL,NULL,'');
CREATE TABLE search_records (
	id INTEGER NOT NULL, 
	attempt_id INTEGER NOT NULL, 
	told JSON NOT NULL, 
	CONSTRAINT pk_search_records PRIMARY KEY (id), 
	CONSTRAINT fk_search_records_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id)
);
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
	loss DOUBLE, samples INTEGER, lag INTEGER, input_us DOUBLE, memory_bytes BIGINT, 
	CONSTRAINT pk_steps PRIMARY KEY (id), 
	CONSTRAINT fk_steps_attempt_id_attempts FOREIGN KEY(attempt_id) REFERENCES attempts (id), 
	CONSTRAINT fk_steps_job_id_jobs FOREIGN KEY(job_id) REFERENCES jobs (id)
);
INSERT INTO "steps" VALUES(1,1,1,0,0,'all_reduce','mpi','mpi',1,1024,1795945788979907989,14218.469,0.0,14218.469,14218.469,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(2,1,1,0,1,'all_reduce','ring','shared_memory',1,1024,1795945789005124602,8430.138,0.0,8430.138,8430.138,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(3,1,1,0,2,'all_reduce','mpi','mpi',0,1024,1795945789034592654,13841.36,0.0,13841.36,13841.36,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "steps" VALUES(4,1,1,0,3,'all_reduce','ring','shared_memory',0,1024,1795945789066336558,571.95,0.0,571.95,571.95,NULL,NULL,NULL,NULL,NULL);
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
	last_used_at DATETIME, rotation_wanted_at DATETIME, next_sha256 TEXT, session_seconds INTEGER, 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_sha256 UNIQUE (sha256), 
	CONSTRAINT fk_tokens_parent_id_tokens FOREIGN KEY(parent_id) REFERENCES tokens (id) ON DELETE CASCADE
);
INSERT INTO "tokens" VALUES(1,'admin','personal','admin','8021ffca528ff2b5ab98b441b58dba8cc80abc59811b85aa0d38e20d6e5e5327','2026-11-29 09:49:40.073195',NULL,'of the data directory f704e8b0',NULL,NULL,'system','2026-11-29 09:50:13.530536',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(2,'join','join','join','3a3250d907979c11eaa626372ccf76a72db2bf8c0f5ff913de18771383fb5dde','2026-11-29 09:49:40.073195',NULL,'of the data directory f704e8b0',NULL,NULL,'system','2026-11-29 09:49:45.080438',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(3,'vm','agent','agent','c7f7fffed20fea5acf0e5599a323a2b6941ece8bae7dbf35c6d0c098dad27c1b','2026-11-29 09:49:45.080819',NULL,'','vm',2,'join','2026-11-29 09:50:13.113480',NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(4,'admin','login','admin','afdc59523efdceef9e12d5ce2ccdb1eba152913b37f735e1be1e52d05b06a8d2','2026-11-29 09:49:45.663535','2026-11-30 09:49:45.663535','',NULL,1,'admin',NULL,NULL,NULL,NULL);
INSERT INTO "tokens" VALUES(5,'colleague','personal','viewer','b7f9942e405f9a7eaf01a6414ee99c38ea4fd766be247601146efeee2e9c1c6e','2026-11-29 09:50:13.530863',NULL,'',NULL,NULL,'admin',NULL,NULL,NULL,NULL);
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
INSERT INTO "usage" VALUES('admin',5.31415471508410774958e+01,'2026-11-29 09:50:13.068592');
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
CREATE INDEX ix_attempts_job_id ON attempts (job_id);
CREATE INDEX ix_attempts_uncharged ON attempts (finished_at) WHERE charged_at IS NULL;
CREATE INDEX ix_insights_job_id ON insights (job_id);
CREATE INDEX ix_insights_attempt_id ON insights (attempt_id);
CREATE INDEX ix_insights_active ON insights (job_id) WHERE until IS NULL;
CREATE INDEX ix_epochs_job_id ON epochs (job_id);
CREATE INDEX ix_traces_attempt_id ON traces (attempt_id);
CREATE INDEX ix_jobs_busbw_gb_per_s_id ON jobs (busbw_gb_per_s, id);
CREATE INDEX ix_jobs_name_id ON jobs (name, id);
CREATE UNIQUE INDEX ix_tokens_next_sha256 ON tokens (next_sha256);
CREATE INDEX ix_jobs_ranks_id ON jobs (ranks, id);
CREATE INDEX ix_jobs_finished_at ON jobs (finished_at);
CREATE INDEX ix_node_minutes_minute ON node_minutes (minute);
CREATE INDEX ix_search_records_attempt_id ON search_records (attempt_id);
CREATE INDEX ix_imports_file_id ON imports (file_id);
CREATE INDEX ix_jobs_judgement_id ON jobs (judgement, id);
CREATE INDEX ix_jobs_unjudged ON jobs (id) WHERE judgement IS NULL AND state = 'succeeded' AND kind IN ('benchmark', 'imported');
CREATE INDEX ix_link_measurements_attempt_id ON link_measurements (attempt_id);
CREATE INDEX ix_link_measurements_pair ON link_measurements (first_node_id, second_node_id, id);
COMMIT;

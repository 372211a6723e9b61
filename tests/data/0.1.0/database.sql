PRAGMA application_id = 1129273427;
PRAGMA user_version = 9;
BEGIN TRANSACTION;
CREATE TABLE audit (
  audit_id INTEGER PRIMARY KEY,
  time_us INTEGER NOT NULL,
  principal TEXT NOT NULL CHECK (length(principal) >= 1),
  method TEXT NOT NULL CHECK (length(method) >= 1),
  machine TEXT NOT NULL,  -- '': none
  change TEXT NOT NULL
) STRICT;
INSERT INTO "audit" VALUES(1,1795445013170927,'uid:0','cox.v1.MachineService/CreateMachine','ours','4 nodes of 8 cores');
INSERT INTO "audit" VALUES(2,1795445013177920,'uid:0','cox.v1.ProfileService/CreateProfile','ours','revision 1: imported from ours.toml');
INSERT INTO "audit" VALUES(3,1795445013295977,'uid:0','cox.v1.ObservationService/ReportObservations','ours','3 observations of source rows.csv');
INSERT INTO "audit" VALUES(4,1795445013622105,'uid:0','cox.v1.ProfileService/PinProfile','ours','revision 1');
INSERT INTO "audit" VALUES(5,1795445014525317,'uid:0','cox.v1.ObservationService/ForgetObservations','','job nobody: 0 observations of 0 machines');
INSERT INTO "audit" VALUES(6,1795445014567097,'uid:0','cox.v1.MachineService/DeleteMachine','ours','with all profiles and observations');
INSERT INTO "audit" VALUES(7,1795445014593274,'uid:0','cox.v1.MachineService/UndeleteMachine','ours','with all profiles and observations');
CREATE TABLE batch (
  batch_id INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL REFERENCES job,
  sequence INTEGER,
  id_count INTEGER NOT NULL CHECK (id_count >= 1),
  dropped_count INTEGER NOT NULL CHECK (dropped_count >= 0), source_id INTEGER REFERENCES source, kind INTEGER NOT NULL DEFAULT 0 CHECK (kind IN (0, 1)),
  UNIQUE (job_id, sequence)
) STRICT;
INSERT INTO "batch" VALUES(1,1,NULL,3,0,1,0);
INSERT INTO "batch" VALUES(4,2,1795445015626158812,3,0,2,1);
INSERT INTO "batch" VALUES(7,2,1795445015626158813,2,0,2,1);
INSERT INTO "batch" VALUES(9,3,1795445016143566149,3,0,2,1);
INSERT INTO "batch" VALUES(12,3,1795445016143566150,2,0,2,1);
CREATE TABLE cell (
  cell_id INTEGER PRIMARY KEY,
  scenario_id INTEGER NOT NULL REFERENCES scenario,
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  observation_count INTEGER NOT NULL CHECK (observation_count >= 0),
  weight INTEGER NOT NULL CHECK (weight >= 0),
  bins BLOB NOT NULL,
  UNIQUE (scenario_id, kind, epoch)
) STRICT;
INSERT INTO "cell" VALUES(1,1,0,0,1,1,X'DF0502E1D301C2AB96AF01');
INSERT INTO "cell" VALUES(2,2,0,0,1,1,X'B305029F7780A4C637');
INSERT INTO "cell" VALUES(3,3,0,0,1,1,X'F30202803780C0E80B');
INSERT INTO "cell" VALUES(4,4,1,0,1,3,X'D30502FCED0188C89ADD01');
INSERT INTO "cell" VALUES(5,5,1,0,1,54,X'AF0602D860A09EC224');
INSERT INTO "cell" VALUES(6,6,1,0,1,12,X'DF0402CB33C8FAB20A');
INSERT INTO "cell" VALUES(7,7,1,0,1,2,X'A50502948901C8F5BD49');
INSERT INTO "cell" VALUES(8,8,1,0,1,6,X'E70502E6A101D28EA166');
INSERT INTO "cell" VALUES(9,9,1,0,1,3,X'FF05028E67E2E2C329');
INSERT INTO "cell" VALUES(10,10,1,0,1,54,X'D70602B33FC896DA0F');
INSERT INTO "cell" VALUES(11,11,1,0,1,12,X'EF0402E85EA0DA8E23');
INSERT INTO "cell" VALUES(12,12,1,0,1,2,X'BD0502865492F8CB1B');
INSERT INTO "cell" VALUES(13,13,1,0,1,6,X'BD0502FAE60192D6ADD001');
CREATE TABLE deleted_machine (
  machine_id INTEGER PRIMARY KEY REFERENCES machine ON DELETE CASCADE,
  name TEXT NOT NULL,
  delete_time_us INTEGER NOT NULL
) STRICT;
CREATE TABLE drift (
  drift_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('node', 'network')),
  min_block_bytes INTEGER NOT NULL CHECK (min_block_bytes >= 0),
  max_block_bytes INTEGER NOT NULL CHECK (max_block_bytes >= min_block_bytes),
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL CHECK (last_id >= first_id),
  log_factor REAL NOT NULL,
  observation_count INTEGER NOT NULL CHECK (observation_count >= 1),
  create_time_us INTEGER NOT NULL
) STRICT;
CREATE TABLE drift_evidence (
  drift_id INTEGER NOT NULL REFERENCES drift ON DELETE CASCADE,
  position INTEGER NOT NULL,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  nodes INTEGER NOT NULL,
  ppn INTEGER NOT NULL,
  ranks INTEGER NOT NULL,
  block_bytes INTEGER NOT NULL,
  log_factor REAL NOT NULL,
  observation_count INTEGER NOT NULL,
  PRIMARY KEY (drift_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE job (
  job_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dropped_count INTEGER NOT NULL DEFAULT 0 CHECK (dropped_count >= 0)
) STRICT;
INSERT INTO "job" VALUES(1,'',0);
INSERT INTO "job" VALUES(2,'openmpi-436928513',0);
INSERT INTO "job" VALUES(3,'openmpi-465436673',0);
CREATE TABLE machine (
  machine_id INTEGER PRIMARY KEY,
  name TEXT UNIQUE CHECK (length(name) BETWEEN 1 AND 63),
  nodes INTEGER NOT NULL CHECK (nodes >= 0),
  cores_per_node INTEGER NOT NULL CHECK (cores_per_node >= 0),
  topology_kind TEXT NOT NULL,
  topology_dims TEXT NOT NULL,
  create_time_us INTEGER NOT NULL,
  pinned_revision INTEGER NOT NULL DEFAULT 0 CHECK (pinned_revision >= 0),
  dropped_count INTEGER NOT NULL DEFAULT 0 CHECK (dropped_count >= 0)
, summed_count INTEGER NOT NULL DEFAULT 0 CHECK (summed_count >= 0)) STRICT;
INSERT INTO "machine" VALUES(1,'cm5-64',64,1,'fat-tree','',1795445013030636,0,0,0);
INSERT INTO "machine" VALUES(2,'ethernet-now-8',8,1,'bus','',1795445013030828,0,0,0);
INSERT INTO "machine" VALUES(3,'fddi-now-8',8,1,'bus','',1795445013030853,0,0,0);
INSERT INTO "machine" VALUES(4,'gcel-64',64,1,'mesh','8x8',1795445013030874,0,0,0);
INSERT INTO "machine" VALUES(5,'hku-cluster-16',16,1,'crossbar','',1795445013030922,0,0,0);
INSERT INTO "machine" VALUES(6,'intel-delta',256,1,'mesh','16x16',1795445013031080,0,0,0);
INSERT INTO "machine" VALUES(7,'maspar-1024',1024,1,'torus','32x32',1795445013031092,0,0,0);
INSERT INTO "machine" VALUES(8,'paragon-64',64,1,'mesh','8x8',1795445013031122,0,0,0);
INSERT INTO "machine" VALUES(9,'paragon-72',72,1,'mesh','',1795445013031149,0,0,0);
INSERT INTO "machine" VALUES(10,'psc-lemieux',750,4,'fat-tree','',1795445013031164,0,0,0);
INSERT INTO "machine" VALUES(11,'sp2-48',48,1,'fat-tree','',1795445013031179,0,0,0);
INSERT INTO "machine" VALUES(12,'t3e-8',8,1,'torus','2x2x2',1795445013031196,0,0,0);
INSERT INTO "machine" VALUES(13,'ours',4,8,'crossbar','',1795445013170904,1,0,0);
CREATE TABLE next_id (
  only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
  observation_id INTEGER NOT NULL
, cells_are_stale INTEGER NOT NULL DEFAULT 0, database_id BLOB NOT NULL DEFAULT x'') STRICT;
INSERT INTO "next_id" VALUES(1,14,0,X'1888444EFE4D19E957119126B7138B3D');
CREATE TABLE observation (
  observation_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL,
  scenario_id INTEGER NOT NULL,
  time_s REAL NOT NULL CHECK (time_s > 0),
  timing_count INTEGER NOT NULL CHECK (timing_count >= 1),
  stddev_s REAL NOT NULL,
  statistic INTEGER NOT NULL,  -- 0 mean, 1 median, 2 min
  run TEXT,
  at_us INTEGER NOT NULL,
  FOREIGN KEY (machine_id, scenario_id) REFERENCES scenario (machine_id, scenario_id)
) STRICT;
INSERT INTO "observation" VALUES(1,13,1,1.0e-05,1,0.0,0,NULL,1777593600000000);
INSERT INTO "observation" VALUES(2,13,2,2.0e-05,1,0.0,0,NULL,1777593601000000);
INSERT INTO "observation" VALUES(3,13,3,0.003,1,0.0,0,NULL,1777593602000000);
INSERT INTO "observation" VALUES(4,11,4,1.2398e-05,3,0.0,0,NULL,1795445015000000);
INSERT INTO "observation" VALUES(5,11,5,2.9195e-06,54,1.48633272863540584832e-03,2,NULL,1795445015000000);
INSERT INTO "observation" VALUES(6,11,6,7.46165e-05,12,0.000811646459524096,2,NULL,1795445015000000);
INSERT INTO "observation" VALUES(7,11,7,2.52830000000000017072e-05,2,5.45886435076014707012e-07,2,NULL,1795445015000000);
INSERT INTO "observation" VALUES(8,11,8,9.0285e-06,6,2.4287329294647996428e-05,2,NULL,1795445015000000);
INSERT INTO "observation" VALUES(9,8,9,6.18300000000000077185e-06,3,5.4347090998507e-06,0,NULL,1795445016000000);
INSERT INTO "observation" VALUES(10,8,10,1.5475e-06,54,1.40850099586589130006e-03,2,NULL,1795445016000000);
INSERT INTO "observation" VALUES(11,8,11,5.86330000000000059684e-05,12,1.51760058515427712945e-05,2,NULL,1795445016000000);
INSERT INTO "observation" VALUES(12,8,12,1.73205e-05,2,2.90620887067671082662e-07,2,NULL,1795445016000000);
INSERT INTO "observation" VALUES(13,8,13,1.74765e-05,6,9.10306782171080144418e-06,2,NULL,1795445016000000);
CREATE TABLE old_sum (
  old_sum_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL,
  scenario_id INTEGER NOT NULL,
  job_id INTEGER NOT NULL REFERENCES job,
  source_id INTEGER NOT NULL,  -- 0: none
  kind INTEGER NOT NULL CHECK (kind IN (0, 1)),
  day INTEGER NOT NULL,  -- since the Unix epoch, UTC
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL CHECK (last_id >= first_id),
  first_us INTEGER NOT NULL,
  last_us INTEGER NOT NULL CHECK (last_us >= first_us),
  observation_count INTEGER NOT NULL CHECK (observation_count >= 1),
  weight INTEGER NOT NULL CHECK (weight >= 1),
  bins BLOB NOT NULL,
  timing_count INTEGER NOT NULL CHECK (timing_count >= 1),
  total_time_s REAL NOT NULL CHECK (total_time_s > 0),
  FOREIGN KEY (machine_id, scenario_id) REFERENCES scenario (machine_id, scenario_id)
) STRICT;
CREATE TABLE parameter (
  profile_id INTEGER NOT NULL REFERENCES profile ON DELETE CASCADE,
  position INTEGER NOT NULL,
  model TEXT NOT NULL,
  level TEXT NOT NULL,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  stderr REAL NOT NULL,
  source TEXT NOT NULL, above REAL NOT NULL DEFAULT 0 CHECK (above >= 0), relation TEXT NOT NULL DEFAULT ''
  CHECK (relation IN ('', '<=', 'sum')),
  PRIMARY KEY (profile_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "parameter" VALUES(1,0,'bsp','network','g',2.275e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,1,'bsp','network','L',4.49999999999999960578e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,2,'e-bsp','network','g',2.275e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,3,'e-bsp','network','L',4.49999999999999960578e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,4,'e-bsp','network','g_scatter',1.575e-06,0.0,'Table I: g''',0.0,'');
INSERT INTO "parameter" VALUES(1,5,'e-bsp','network','L_scatter',4.49999999999999960578e-05,0.0,'Table I: L; not measured apart',0.0,'');
INSERT INTO "parameter" VALUES(1,6,'bpram','network','sigma',2.75e-07,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,7,'bpram','network','ell',7.5e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,8,'bpram-1port','network','sigma',2.75e-07,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(1,9,'bpram-1port','network','ell',7.5e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(2,0,'hyperbolic','network','a',0.0015,0.0,'Eq. (6): 2 a_w, both ends, a_w = 750 us',0.0,'');
INSERT INTO "parameter" VALUES(2,1,'hyperbolic','network','b',1.05e-06,0.0,'Eq. (6): b_w',0.0,'');
INSERT INTO "parameter" VALUES(2,2,'hyperbolic','network','a_channel',0.00025,0.0,'Eq. (6): a_c',0.0,'');
INSERT INTO "parameter" VALUES(2,3,'hyperbolic','network','b_channel',9.49999999999999904069e-07,0.0,'Eq. (6): b_c',0.0,'');
INSERT INTO "parameter" VALUES(2,4,'hyperbolic','network','half_duplex',1.0,0.0,'Eq. (4): a workstation serves what it sends and what it receives',0.0,'');
INSERT INTO "parameter" VALUES(2,5,'hyperbolic','node','a',0.0015,0.0015,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(2,6,'hyperbolic','node','b',1.05e-06,1.05e-06,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(3,0,'hyperbolic','network','a',7.59999999999999933421e-04,0.0,'Eq. (7): 2 a_w, both ends, a_w = 380 us',0.0,'');
INSERT INTO "parameter" VALUES(3,1,'hyperbolic','network','b',1.3e-07,0.0,'Eq. (7): b_w',0.0,'');
INSERT INTO "parameter" VALUES(3,2,'hyperbolic','network','a_channel',4.99999999999999956198e-06,0.0,'Eq. (7): a_c; an upper bound, from the time of the token',0.0,'<=');
INSERT INTO "parameter" VALUES(3,3,'hyperbolic','network','b_channel',1.0999999999999999238e-07,0.0,'Eq. (7): b_c',0.0,'');
INSERT INTO "parameter" VALUES(3,4,'hyperbolic','network','half_duplex',1.0,0.0,'Eq. (4): a workstation serves what it sends and what it receives',0.0,'');
INSERT INTO "parameter" VALUES(3,5,'hyperbolic','node','a',7.59999999999999933421e-04,7.59999999999999933421e-04,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(3,6,'hyperbolic','node','b',1.3e-07,1.3e-07,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(4,0,'bsp','network','g',4.31749999999999923552e-05,0.0,'section 3.2, bsp_store, up to 4500 words',0.0,'');
INSERT INTO "parameter" VALUES(4,1,'bsp','network','g',0.0,0.0,'section 3.2, bsp_store, above 4500 words',18000.0,'');
INSERT INTO "parameter" VALUES(4,2,'bsp','network','g',2.9625e-05,0.0,'section 3.2, bsp_store, from 7000 words on',27999.0,'');
INSERT INTO "parameter" VALUES(4,3,'bsp','network','L',0.26,0.0,'section 3.2, bsp_store, up to 4500 words',0.0,'');
INSERT INTO "parameter" VALUES(4,4,'bsp','network','L',1.04,0.0,'section 3.2, bsp_store, above 4500 words',18000.0,'');
INSERT INTO "parameter" VALUES(4,5,'bsp','network','L',0.21,0.0,'section 3.2, bsp_store, from 7000 words on',27999.0,'');
INSERT INTO "parameter" VALUES(4,6,'e-bsp','network','g',4.31749999999999923552e-05,0.0,'section 3.2, bsp_store, up to 4500 words',0.0,'');
INSERT INTO "parameter" VALUES(4,7,'e-bsp','network','g',0.0,0.0,'section 3.2, bsp_store, above 4500 words',18000.0,'');
INSERT INTO "parameter" VALUES(4,8,'e-bsp','network','g',2.9625e-05,0.0,'section 3.2, bsp_store, from 7000 words on',27999.0,'');
INSERT INTO "parameter" VALUES(4,9,'e-bsp','network','L',0.26,0.0,'section 3.2, bsp_store, up to 4500 words',0.0,'');
INSERT INTO "parameter" VALUES(4,10,'e-bsp','network','L',1.04,0.0,'section 3.2, bsp_store, above 4500 words',18000.0,'');
INSERT INTO "parameter" VALUES(4,11,'e-bsp','network','L',0.21,0.0,'section 3.2, bsp_store, from 7000 words on',27999.0,'');
INSERT INTO "parameter" VALUES(4,12,'e-bsp','network','g_scatter',2.1975e-05,0.0,'section 3.2: g'' up to 5300 words',0.0,'');
INSERT INTO "parameter" VALUES(4,13,'e-bsp','network','g_scatter',1.19499999999999990886e-05,0.0,'section 3.2: g'' above 5300 words',21200.0,'');
INSERT INTO "parameter" VALUES(4,14,'e-bsp','network','L_scatter',0.0,0.0,'not published; 0 makes the scatter continuous at 5300 words and gives the reported errors',0.0,'');
INSERT INTO "parameter" VALUES(4,15,'e-bsp','network','L_scatter',0.21,0.0,'Table I: L; not published for the scatter',21200.0,'');
INSERT INTO "parameter" VALUES(4,16,'bpram','network','sigma',8.5e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(4,17,'bpram','network','ell',0.016,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(4,18,'bpram-1port','network','sigma',8.5e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(4,19,'bpram-1port','network','ell',0.016,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(5,0,'cluster','network','O_s',6.30799999999999957489e-06,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,1,'cluster','network','O_s',6.37e-06,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,2,'cluster','network','O_s_byte',2.91e-08,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,3,'cluster','network','O_s_byte',2.52999999999999982455e-08,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,4,'cluster','network','g_s',6.73e-06,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,5,'cluster','network','g_s',3.027e-06,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,6,'cluster','network','g_s_byte',0.0,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,7,'cluster','network','g_s_byte',7.96e-08,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,8,'cluster','network','g_r',6.73e-06,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,9,'cluster','network','g_r',4.98599999999999935699e-06,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,10,'cluster','network','g_r_byte',0.0,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,11,'cluster','network','g_r_byte',7.87999999999999909284e-08,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,12,'cluster','network','L',1.6684e-05,0.0,'Table 1',0.0,'');
INSERT INTO "parameter" VALUES(5,13,'cluster','network','L_byte',8.26e-08,0.0,'Table 1',0.0,'');
INSERT INTO "parameter" VALUES(5,14,'cluster','network','L_processor',1.556e-06,0.0,'Table 1',0.0,'');
INSERT INTO "parameter" VALUES(5,15,'cluster','network','switch_byte',1.1111111111e-08,0.0,'Table 1: the switch carries 90 bytes per us',0.0,'');
INSERT INTO "parameter" VALUES(5,16,'cluster','network','O_r',1.22449999999999988053e-05,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,17,'cluster','network','O_r',1.2176e-05,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,18,'cluster','network','O_r_byte',4.26e-08,0.0,'Table 1, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,19,'cluster','network','O_r_byte',4.29e-08,0.0,'Table 1, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,20,'cluster','network','U_r',9.93e-06,0.0,'Table 1',0.0,'');
INSERT INTO "parameter" VALUES(5,21,'cluster','network','B_L',1935.0,0.0,'Table 1: 1935 "units", taken as packets',0.0,'');
INSERT INTO "parameter" VALUES(5,22,'cluster','network','packet',1500.0,0.0,'section 4: a maximum Ethernet frame',0.0,'');
INSERT INTO "parameter" VALUES(5,23,'cluster','self','copy',3.13999999999999966204e-08,0.0,'Table 1: M_mtm, memory to memory, without its 1.756 us',0.0,'');
INSERT INTO "parameter" VALUES(5,24,'postal','network','lambda',4.8279e-05,0.0,'derived from Table 1: O_s + L + O_r + U_r for two processors, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,25,'postal','network','lambda',4.82719999999999945482e-05,0.0,'derived from Table 1: O_s + L + O_r + U_r for two processors, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,26,'postal','network','lambda_byte',1.543e-07,0.0,'derived from Table 1: O_s + L + O_r + U_r for two processors, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,27,'postal','network','lambda_byte',1.507999999999999739e-07,0.0,'derived from Table 1: O_s + L + O_r + U_r for two processors, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,28,'postal','network','g',6.73e-06,0.0,'Table 1: g_s, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,29,'postal','network','g',3.027e-06,0.0,'Table 1: g_s, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,30,'postal','network','g_byte',0.0,0.0,'Table 1: g_s, packets up to 40 bytes',0.0,'');
INSERT INTO "parameter" VALUES(5,31,'postal','network','g_byte',7.96e-08,0.0,'Table 1: g_s, longer packets',40.0,'');
INSERT INTO "parameter" VALUES(5,32,'postal','network','packet',1500.0,0.0,'section 4',0.0,'');
INSERT INTO "parameter" VALUES(6,0,'c3','network','s',8.0,0.0,'section 4.1: "approximately 8"; 1400 cycles at 40 MHz would be 0.85 units',0.0,'');
INSERT INTO "parameter" VALUES(6,1,'c3','network','l',512.0,0.0,'Figure 3',0.0,'');
INSERT INTO "parameter" VALUES(6,2,'c3','network','unit_time',4.096e-05,0.0,'derived: 512 bytes at 12.5 MB/s, section 4.1',0.0,'');
INSERT INTO "parameter" VALUES(7,0,'mp-bsp','network','g',8.05000000000000085365e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(7,1,'mp-bsp','network','L',0.0014,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(7,2,'mp-bsp','network','word',4.0,0.0,'section 3.5',0.0,'');
INSERT INTO "parameter" VALUES(7,3,'mp-e-bsp','network','active',8.39999999999999898483e-07,0.0,'Eq. (1)',0.0,'');
INSERT INTO "parameter" VALUES(7,4,'mp-e-bsp','network','root',1.18e-05,0.0,'Eq. (1)',0.0,'');
INSERT INTO "parameter" VALUES(7,5,'mp-e-bsp','network','base',7.32999999999999927655e-05,0.0,'Eq. (1)',0.0,'');
INSERT INTO "parameter" VALUES(7,6,'mp-e-bsp','network','word',4.0,0.0,'section 3.5',0.0,'');
INSERT INTO "parameter" VALUES(7,7,'bpram','network','sigma',0.000107,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(7,8,'bpram','network','ell',6.29999999999999917704e-04,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(7,9,'bpram-1port','network','sigma',0.000107,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(7,10,'bpram-1port','network','ell',6.29999999999999917704e-04,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,0,'bsp','network','g',1.355e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,1,'bsp','network','L',0.0195,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,2,'e-bsp','network','g',1.355e-06,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,3,'e-bsp','network','L',0.0195,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,4,'e-bsp','network','g_scatter',7.82499999999999919578e-07,0.0,'Table I: g''',0.0,'');
INSERT INTO "parameter" VALUES(8,5,'e-bsp','network','L_scatter',0.0195,0.0,'Table I: L; not measured apart',0.0,'');
INSERT INTO "parameter" VALUES(8,6,'bpram','network','sigma',3.71999999999999956157e-08,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,7,'bpram','network','ell',0.00123,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,8,'bpram-1port','network','sigma',3.71999999999999956157e-08,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(8,9,'bpram-1port','network','ell',0.00123,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(9,0,'hyperbolic','network','a',2.39999999999999978975e-04,0.0,'Eq. (15): 2 (a_p + a_c); only the sum is known',0.0,'sum');
INSERT INTO "parameter" VALUES(9,1,'hyperbolic','network','b',3.1e-08,0.0,'Eq. (15): b_p; links, b_c = 0.012 us/byte, are slower where 3 pairs share one',0.0,'');
INSERT INTO "parameter" VALUES(9,2,'hyperbolic','network','half_duplex',1.0,0.0,'Table 1: 2 b_p at a processor that sends and receives',0.0,'');
INSERT INTO "parameter" VALUES(9,3,'hyperbolic','node','a',2.39999999999999978975e-04,2.39999999999999978975e-04,'assumed: as at level network',0.0,'sum');
INSERT INTO "parameter" VALUES(9,4,'hyperbolic','node','b',3.1e-08,3.1e-08,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(10,0,'hockney','network','alpha',2.31e-05,0.0,'fitted: Eqs. (1) and (2) at section 4''s 55 ms (direct, 76 bytes) and 800 ms (mesh, 8 KB)',0.0,'');
INSERT INTO "parameter" VALUES(10,1,'hockney','network','beta',4.90999999999999962949e-08,0.0,'fitted: Eqs. (1) and (2) at section 4''s 55 ms (direct, 76 bytes) and 800 ms (mesh, 8 KB)',0.0,'');
INSERT INTO "parameter" VALUES(10,2,'hockney','node','alpha',2.31e-05,2.31e-05,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(10,3,'hockney','node','beta',4.90999999999999962949e-08,4.90999999999999962949e-08,'assumed: as at level network',0.0,'');
INSERT INTO "parameter" VALUES(11,0,'hyperbolic','network','a',0.000124,0.0,'section 3.3: 2 a_p + a_c; only the sum is known',0.0,'sum');
INSERT INTO "parameter" VALUES(11,1,'hyperbolic','network','b',2.9e-08,0.0,'section 3.3: b_l = max(b_p, b_l); b_p is only bounded by it',0.0,'<=');
INSERT INTO "parameter" VALUES(11,2,'hyperbolic','network','half_duplex',1.0,0.0,'Table 1: 2 b_p at a processor that sends and receives',0.0,'');
INSERT INTO "parameter" VALUES(11,3,'hyperbolic','node','a',0.000124,0.000124,'assumed: as at level network',0.0,'sum');
INSERT INTO "parameter" VALUES(11,4,'hyperbolic','node','b',2.9e-08,2.9e-08,'assumed: as at level network',0.0,'<=');
INSERT INTO "parameter" VALUES(12,0,'bsp','network','g',1.375e-07,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,1,'bsp','network','L',3.68999999999999956832e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,2,'e-bsp','network','g',1.375e-07,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,3,'e-bsp','network','L',3.68999999999999956832e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,4,'e-bsp','network','g_scatter',8.625e-08,0.0,'Table I: g''',0.0,'');
INSERT INTO "parameter" VALUES(12,5,'e-bsp','network','L_scatter',3.68999999999999956832e-05,0.0,'Table I: L; not measured apart',0.0,'');
INSERT INTO "parameter" VALUES(12,6,'bpram','network','sigma',4.94e-09,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,7,'bpram','network','ell',1.16999999999999980946e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,8,'bpram-1port','network','sigma',4.94e-09,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(12,9,'bpram-1port','network','ell',1.16999999999999980946e-05,0.0,'Table I',0.0,'');
INSERT INTO "parameter" VALUES(13,0,'hockney','network','alpha',2.0e-06,1.0e-07,'made up',0.0,'');
INSERT INTO "parameter" VALUES(13,1,'hockney','network','beta',1.0e-09,1.0e-10,'made up',0.0,'');
INSERT INTO "parameter" VALUES(14,0,'hockney','network','alpha',1.99958960490569238096e-06,9.99847003832449161397e-08,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,1,'hockney','network','beta',1.03488401437960362758e-09,9.84613285018283434027e-11,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,2,'max-rate','node','alpha',5.78506579210634784083e-06,1.78057270483973621201e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,3,'max-rate','node','beta',9.48093096680714671892e-11,2.84125886904686604343e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,4,'max-rate','network','alpha',2.84154931961010872145e-07,6.12658013627046553082e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,5,'max-rate','network','beta',1.0632901260625520583e-10,3.18882090960614868061e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,6,'max-rate','network','injection',2.34576705125667796096e-10,7.02607766718141e-11,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,7,'loggp','node','L',2.77866294773405074036e-07,6.20657787911735378408e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,8,'loggp','node','o',4.23298640705702680165e-06,1.66528260743126923443e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,9,'loggp','node','G',9.41688263448567838571e-11,2.82241286593219586507e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,10,'loggp','network','L',6.23748353132567132746e-07,1.79614166660380298636e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,11,'loggp','network','o',3.60473311137920407226e-07,8.75175495128731692397e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,12,'loggp','network','G',1.4163567119247887807e-09,4.30233120580202797484e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,13,'hockney','node','alpha',4.46860543901423165049e-06,1.31938703227684826324e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,14,'hockney','node','beta',9.12892401979186e-11,2.73463249538865e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,15,'hyperbolic','node','a',5.9175431306310285937e-06,1.73526362084189409535e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,16,'hyperbolic','node','b',9.97077234300607595767e-11,2.99123170284429056595e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,17,'hyperbolic','network','a',3.60753673229770214321e-07,7.85646725395917310246e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,18,'hyperbolic','network','b',1.43791355163711383237e-09,4.29245608883607244034e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,19,'cluster','network','O_s',4.97477105806788279891e-08,1.61569873357176237195e-08,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,20,'cluster','network','O_s_byte',9.99469917992438e-11,2.99840975397731104492e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,21,'cluster','network','g_s',2.47963112742375168563e-09,7.39892095128273835982e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,22,'cluster','network','g_s_byte',9.99228585777715807084e-11,2.99768574501193030557e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,23,'cluster','network','L',9.87400744263478293265e-07,2.96220184568482487845e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,24,'cluster','network','L_byte',9.99998698799143321408e-11,2.99999609639742544058e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,25,'cluster','network','L_processor',9.27110030028415676821e-07,2.78131864909774309839e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,26,'cluster','network','O_r',1.44046407239058650291e-07,3.17475892905205617049e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,27,'cluster','network','O_r_byte',9.99292501053462373181e-11,2.99787750114791950329e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,28,'cluster','network','U_r',1.44046407239058650291e-07,3.17475892905205617049e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,29,'logp','network','L',1.03892770789278643102e-06,3.11676959455406117713e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,30,'logp','network','o',2.45814538206044496141e-08,7.53741045495401371101e-09,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,31,'logp','network','g',4.97868200426170035228e-08,1.61168954960178096927e-08,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,32,'postal','network','lambda',2.43685127720015863648e-06,7.29570068286191618367e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,33,'postal','network','lambda_byte',1.00008744086352961981e-10,3.00026232250266951208e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,34,'postal','network','g',1.57243188363544768434e-08,4.25210621206013e-09,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,35,'postal','network','g_byte',8.05061070156486642546e-11,2.41503535851406430311e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,36,'bpram','network','sigma',1.3783032877438785909e-09,4.28627821411470086993e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,37,'bpram','network','ell',3.67519549053910124557e-06,8.01426760323028346006e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,38,'bpram-1port','network','sigma',6.9376998707873e-10,2.15848568768861675138e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,39,'bpram-1port','network','ell',3.74706679413930443382e-06,8.17110295900174153811e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,40,'bsp','network','g',1.53798946662584559569e-09,4.30160671059066560678e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,41,'bsp','network','L',3.1536722418518542306e-06,9.06384969470061165313e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,42,'e-bsp','network','g_scatter',1.53798946662584559569e-09,4.30160671059066560678e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,43,'e-bsp','network','L_scatter',3.1536722418518542306e-06,9.06384969470061165313e-07,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,44,'mp-bsp','network','g',7.78196912930980521511e-11,2.33423325075186872848e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,45,'mp-bsp','network','L',2.56559671759144669773e-08,5.52949914881906124785e-09,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,46,'mp-e-bsp','network','active',1.31422737549367213308e-08,7.44097420285008915577e-09,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,47,'mp-e-bsp','network','root',6.29109084845857343196e-10,7.96776193097236457452e-10,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,48,'mp-e-bsp','network','base',4.30660107954304519073e-07,1.09176986567591061474e-06,'refined: 3 observations',0.0,'');
INSERT INTO "parameter" VALUES(14,49,'cluster','network','packet',1.0,0.0,'assumed: the value that the model is fitted with',0.0,'');
INSERT INTO "parameter" VALUES(14,50,'logp','network','w',1.0,0.0,'assumed: the value that the model is fitted with',0.0,'');
INSERT INTO "parameter" VALUES(14,51,'postal','network','packet',1.0,0.0,'assumed: the value that the model is fitted with',0.0,'');
CREATE TABLE profile (
  profile_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  provenance TEXT NOT NULL
    CHECK (provenance IN ('published', 'calibrated', 'refined', 'imported', 'edited')),
  note TEXT NOT NULL,
  observations_through_id INTEGER NOT NULL,
  create_time_us INTEGER NOT NULL,
  UNIQUE (machine_id, revision)
) STRICT;
INSERT INTO "profile" VALUES(1,1,1,'published','published: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models, ACM TOCS 16(3), 1998',0,1795445013030684);
INSERT INTO "profile" VALUES(2,2,1,'published','published: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of architectures, 1996',0,1795445013030831);
INSERT INTO "profile" VALUES(3,3,1,'published','published: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of architectures, 1996',0,1795445013030854);
INSERT INTO "profile" VALUES(4,4,1,'published','published: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models, ACM TOCS 16(3), 1998',0,1795445013030875);
INSERT INTO "profile" VALUES(5,5,1,'published','published: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on cluster, 1999',0,1795445013030923);
INSERT INTO "profile" VALUES(6,6,1,'published','published: S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained parallel machines',0,1795445013031081);
INSERT INTO "profile" VALUES(7,7,1,'published','published: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models, ACM TOCS 16(3), 1998',0,1795445013031093);
INSERT INTO "profile" VALUES(8,8,1,'published','published: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models, ACM TOCS 16(3), 1998',0,1795445013031123);
INSERT INTO "profile" VALUES(9,9,1,'published','published: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of architectures, 1996',0,1795445013031150);
INSERT INTO "profile" VALUES(10,10,1,'published','published: L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized communication, 2003; alpha and beta fitted to two of its measurements, the others are for judging',0,1795445013031165);
INSERT INTO "profile" VALUES(11,11,1,'published','published: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of architectures, 1996',0,1795445013031180);
INSERT INTO "profile" VALUES(12,12,1,'published','published: B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models, ACM TOCS 16(3), 1998',0,1795445013031197);
INSERT INTO "profile" VALUES(13,13,1,'imported','imported from ours.toml',0,1795445013177853);
INSERT INTO "profile" VALUES(14,13,2,'refined','learned from 3 observations (ids up to 3) since revision 1; predictions moved by 100.0 %',3,1795445013302464);
CREATE TABLE published_machine (
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO "published_machine" VALUES('cm5-64');
INSERT INTO "published_machine" VALUES('ethernet-now-8');
INSERT INTO "published_machine" VALUES('fddi-now-8');
INSERT INTO "published_machine" VALUES('gcel-64');
INSERT INTO "published_machine" VALUES('hku-cluster-16');
INSERT INTO "published_machine" VALUES('intel-delta');
INSERT INTO "published_machine" VALUES('maspar-1024');
INSERT INTO "published_machine" VALUES('paragon-64');
INSERT INTO "published_machine" VALUES('paragon-72');
INSERT INTO "published_machine" VALUES('psc-lemieux');
INSERT INTO "published_machine" VALUES('sp2-48');
INSERT INTO "published_machine" VALUES('t3e-8');
CREATE TABLE report_count (
  job_id INTEGER NOT NULL REFERENCES job,
  source_id INTEGER NOT NULL,
  machine_id INTEGER NOT NULL,
  observation_count INTEGER NOT NULL CHECK (observation_count >= 0),
  dropped_count INTEGER NOT NULL CHECK (dropped_count >= 0),
  PRIMARY KEY (job_id, source_id, machine_id)
) STRICT, WITHOUT ROWID;
INSERT INTO "report_count" VALUES(1,1,13,3,0);
INSERT INTO "report_count" VALUES(2,2,11,5,0);
INSERT INTO "report_count" VALUES(3,2,8,5,0);
CREATE TABLE request (
  request_number INTEGER PRIMARY KEY,
  request_id TEXT NOT NULL UNIQUE,
  method TEXT NOT NULL,
  subject TEXT NOT NULL,
  outcome INTEGER NOT NULL,
  create_time_us INTEGER NOT NULL
) STRICT;
INSERT INTO "request" VALUES(1,'6f6e4b9d-0d23-430b-878a-f9f153134eac','CreateMachine','ours',0,1795445013170990);
INSERT INTO "request" VALUES(2,'687b2579-3a15-43b1-8f13-9e2f82ee5dcb','AddProfile','ours',1,1795445013177934);
CREATE TABLE scenario (
  scenario_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  ppn INTEGER NOT NULL CHECK (ppn >= 1),
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  block_bytes INTEGER NOT NULL CHECK (block_bytes >= 0),
  type_bytes INTEGER NOT NULL CHECK (type_bytes >= 1),
  UNIQUE (machine_id, library, collective, algorithm, nodes, ppn, ranks, block_bytes, type_bytes),
  -- The parent key of observation: see there.
  UNIQUE (machine_id, scenario_id)
) STRICT;
INSERT INTO "scenario" VALUES(1,13,'openmpi-4.1','bcast','binomial',2,4,8,1024,4);
INSERT INTO "scenario" VALUES(2,13,'openmpi-4.1','bcast','default',2,4,8,1024,4);
INSERT INTO "scenario" VALUES(3,13,'openmpi-4.1','alltoall','pairwise',4,8,32,65536,4);
INSERT INTO "scenario" VALUES(4,11,'openmpi-4.1','bcast','default',1,2,2,32,8);
INSERT INTO "scenario" VALUES(5,11,'openmpi-4.1','barrier','default',1,2,2,0,4);
INSERT INTO "scenario" VALUES(6,11,'openmpi-4.1','alltoallv','default',1,2,2,131072,1);
INSERT INTO "scenario" VALUES(7,11,'openmpi-4.1','allreduce','default',1,2,2,4,4);
INSERT INTO "scenario" VALUES(8,11,'openmpi-4.1','allreduce','default',1,2,2,12,12);
INSERT INTO "scenario" VALUES(9,8,'openmpi-4.1','bcast','default',1,2,2,32,8);
INSERT INTO "scenario" VALUES(10,8,'openmpi-4.1','barrier','default',1,2,2,0,4);
INSERT INTO "scenario" VALUES(11,8,'openmpi-4.1','alltoallv','default',1,2,2,131072,1);
INSERT INTO "scenario" VALUES(12,8,'openmpi-4.1','allreduce','recursive_doubling',1,2,2,4,4);
INSERT INTO "scenario" VALUES(13,8,'openmpi-4.1','allreduce','recursive_doubling',1,2,2,12,12);
CREATE TABLE source (
  source_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (length(name) >= 1)
) STRICT;
INSERT INTO "source" VALUES(1,'rows.csv');
INSERT INTO "source" VALUES(2,'uid0@vm');
CREATE TABLE withdrawal (
  withdrawal_id INTEGER PRIMARY KEY,
  machine_id INTEGER NOT NULL REFERENCES machine,
  library TEXT NOT NULL,
  collective TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  ppn INTEGER NOT NULL CHECK (ppn >= 1),
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  min_block_bytes INTEGER NOT NULL CHECK (min_block_bytes >= 0),
  max_block_bytes INTEGER NOT NULL CHECK (max_block_bytes >= min_block_bytes),
  log_factor REAL NOT NULL,
  pair_count INTEGER NOT NULL CHECK (pair_count >= 1),
  job_count INTEGER NOT NULL CHECK (job_count >= 1),
  first_id INTEGER NOT NULL,
  last_id INTEGER NOT NULL CHECK (last_id >= first_id),
  revision INTEGER NOT NULL CHECK (revision >= 0),
  create_time_us INTEGER NOT NULL
) STRICT;
CREATE INDEX batch_by_job ON batch (job_id);
CREATE INDEX observation_by_machine ON observation (machine_id);
CREATE INDEX batch_by_source ON batch (source_id) WHERE source_id IS NOT NULL;
CREATE INDEX drift_by_machine ON drift (machine_id);
CREATE INDEX report_count_by_source ON report_count (source_id);
CREATE INDEX report_count_by_machine ON report_count (machine_id);
CREATE INDEX audit_by_principal ON audit (principal);
CREATE INDEX audit_by_machine ON audit (machine);
CREATE TRIGGER audit_never_deleted BEFORE DELETE ON audit
BEGIN
  SELECT raise(ABORT, 'rows of audit are never deleted');
END;
CREATE TRIGGER audit_never_changed BEFORE UPDATE ON audit
BEGIN
  SELECT raise(ABORT, 'rows of audit are never changed');
END;
CREATE TRIGGER audit_never_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE audit_id = NEW.audit_id)
BEGIN
  SELECT raise(ABORT, 'rows of audit are never replaced');
END;
CREATE INDEX deleted_machine_by_name ON deleted_machine (name);
CREATE INDEX withdrawal_by_machine ON withdrawal (machine_id);
CREATE INDEX old_sum_by_machine ON old_sum (machine_id);
CREATE INDEX old_sum_by_scenario ON old_sum (scenario_id, day);
CREATE INDEX old_sum_by_job ON old_sum (job_id);
CREATE INDEX old_sum_by_source ON old_sum (source_id);
COMMIT;

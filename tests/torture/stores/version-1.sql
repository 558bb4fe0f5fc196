BEGIN TRANSACTION;
CREATE TABLE firstmover_events (
	"match" VARCHAR(80) NOT NULL, 
	sequence INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	round_id VARCHAR(80), 
	claim VARCHAR(200), 
	clock VARCHAR(40) NOT NULL, 
	payload TEXT NOT NULL, 
	previous VARCHAR(64) NOT NULL, 
	hash VARCHAR(64) NOT NULL, 
	PRIMARY KEY ("match", sequence), 
	CONSTRAINT one_holder_of_a_claim UNIQUE ("match", claim), 
	FOREIGN KEY("match") REFERENCES firstmover_matches (name)
);
INSERT INTO "firstmover_events" VALUES('roads',1,'created',NULL,'created','2026-11-16T02:02:07.198+00:00','{"config":{"confidence":{"failure_probability":null,"noise_std":null,"rkhs_norm_bound":null,"width":1.0},"horizon":null,"hyperparameters":{"at_least":20,"at_most":500,"every":50,"source":"config"},"kernel":{"length_scale":6.0,"name":"rbf","variance":9.0},"menu":{"features":["north","south"],"file":null,"game":null,"label":null,"rows":[{"label":"none","north":0.0,"south":0.0,"units":0.0},{"label":"north","north":10.0,"south":0.0,"units":10.0},{"label":"south","north":0.0,"south":10.0,"units":10.0},{"label":"both","north":5.0,"south":5.0,"units":10.0}]},"regularization":1.0,"responses":[{"lower":0.0,"name":"congestion","unit":"min","upper":20.0}],"reward":{"directions":null,"function":null,"lipschitz":null,"range":null,"responses":{"congestion":-2.0},"value":"units"},"strategy":null,"title":"two roads","types":[{"levels":{"high":1.0,"low":0.0},"name":"demand","unit":""}]},"firstmover":"0.1.0","menu":{"columns":{"north":[0.0,10.0,0.0,5.0],"south":[0.0,0.0,10.0,5.0],"units":[0.0,10.0,10.0,10.0]},"features":["north","south"],"labels":["none","north","south","both"]},"name":"roads"}','0000000000000000000000000000000000000000000000000000000000000000','aafc33a6d9d92390069d638fab0d39814ddd43a73105359d23470a09ca02d9f2');
INSERT INTO "firstmover_events" VALUES('roads',2,'asked','r0','asked:r0','2026-11-16T02:02:07.254+00:00','{"action":3,"config":"354cd46f3b952876749745ccab2fcfa8012c8985b47f21f899024f86d485a86b","fingerprint":"python 3.11.7; firstmover 0.1.0; numpy 2.4.6; scipy 1.17.1; scikit-learn 1.9.1; openblas 0.3.30 Haswell; openblas 0.3.31.188.0 Haswell; x86_64 X86_V2 X86_V3; 1 thread","probability":0.25,"strategy":"AAAAAAAA0D8AAAAAAADQPwAAAAAAANA/AAAAAAAA0D8=","uniform":0.7816784296722177}','aafc33a6d9d92390069d638fab0d39814ddd43a73105359d23470a09ca02d9f2','4be09c1cbf0cc04e89aa9c0cf1304e0e998e267c831b15be82c978aa9cec2893');
INSERT INTO "firstmover_events" VALUES('roads',3,'told','r0','closed:r0','2026-11-16T02:02:07.287+00:00','{"response":{"congestion":2.0},"type":{"demand":"low"}}','4be09c1cbf0cc04e89aa9c0cf1304e0e998e267c831b15be82c978aa9cec2893','83b21d53dd2d69e1d55277a50db353d5b64a250577f5dad0ff4c5cf174a0b1d3');
INSERT INTO "firstmover_events" VALUES('roads',4,'asked','r1','asked:r1','2026-11-16T02:02:07.318+00:00','{"action":2,"config":"354cd46f3b952876749745ccab2fcfa8012c8985b47f21f899024f86d485a86b","fingerprint":"python 3.11.7; firstmover 0.1.0; numpy 2.4.6; scipy 1.17.1; scikit-learn 1.9.1; openblas 0.3.30 Haswell; openblas 0.3.31.188.0 Haswell; x86_64 X86_V2 X86_V3; 1 thread","probability":0.3328998699609883,"strategy":"Z86UQTtOVT9mzpRBO07VP2bOlEE7TtU/Zs6UQTtO1T8=","uniform":0.583929570420605}','83b21d53dd2d69e1d55277a50db353d5b64a250577f5dad0ff4c5cf174a0b1d3','2b4b19fedec91715286eb460f04f0f9888ccc352346bb1bdf2655486a2ebd180');
INSERT INTO "firstmover_events" VALUES('roads',5,'told','r1','closed:r1','2026-11-16T02:02:07.351+00:00','{"response":{"congestion":5.1},"type":{"demand":"high"}}','2b4b19fedec91715286eb460f04f0f9888ccc352346bb1bdf2655486a2ebd180','7753e23fd88855f2ccc2bca8f3cc154362a6e805bdcd9db5a9580718793d0fde');
INSERT INTO "firstmover_events" VALUES('roads',6,'asked','r2','asked:r2','2026-11-16T02:02:07.382+00:00','{"action":1,"config":"354cd46f3b952876749745ccab2fcfa8012c8985b47f21f899024f86d485a86b","fingerprint":"python 3.11.7; firstmover 0.1.0; numpy 2.4.6; scipy 1.17.1; scikit-learn 1.9.1; openblas 0.3.30 Haswell; openblas 0.3.31.188.0 Haswell; x86_64 X86_V2 X86_V3; 1 thread","probability":0.4049775480694729,"strategy":"Oc3n8Yna5T5dpiTzJuvZP12mJPMm69k/8J5FyQxTyD8=","uniform":0.38282326530388067}','7753e23fd88855f2ccc2bca8f3cc154362a6e805bdcd9db5a9580718793d0fde','0d4f12198940b6718fb0994cbabc14f519a7d0ea3f386ea38bcf54eac11d657a');
INSERT INTO "firstmover_events" VALUES('roads',7,'told','r2','closed:r2','2026-11-16T02:02:07.415+00:00','{"response":{"congestion":3.2},"type":{"demand":"low"}}','0d4f12198940b6718fb0994cbabc14f519a7d0ea3f386ea38bcf54eac11d657a','f43852e25bf617e68fd98e2096d7ebc8dfec3b8000c08425108794f9f7e8ed42');
INSERT INTO "firstmover_events" VALUES('roads',8,'asked','late','asked:late','2026-11-16T02:02:07.454+00:00','{"action":1,"config":"354cd46f3b952876749745ccab2fcfa8012c8985b47f21f899024f86d485a86b","fingerprint":"python 3.11.7; firstmover 0.1.0; numpy 2.4.6; scipy 1.17.1; scikit-learn 1.9.1; openblas 0.3.30 Haswell; openblas 0.3.31.188.0 Haswell; x86_64 X86_V2 X86_V3; 1 thread","probability":0.6957767796453338,"strategy":"gQlTIm45Dz+ykjyqzUPmP9XkdeeVbrQ/np1wzIq3zD8=","uniform":0.011466049265616007}','f43852e25bf617e68fd98e2096d7ebc8dfec3b8000c08425108794f9f7e8ed42','716fc66b25f0390a707ac548db29bd2326aae0284d2f60c1bb093d0af76e324c');
INSERT INTO "firstmover_events" VALUES('roads',9,'corrected','r1',NULL,'2026-11-16T02:02:07.496+00:00','{"reason":"misread","response":{"congestion":4.5},"type":{"demand":"high"}}','716fc66b25f0390a707ac548db29bd2326aae0284d2f60c1bb093d0af76e324c','b0354b06d0acc0aaa0720d8a4f9f86fbe4a4078350baf4931d80fe1f0d8eb5ec');
CREATE TABLE firstmover_matches (
	name VARCHAR(80) NOT NULL, 
	length INTEGER NOT NULL, 
	head VARCHAR(64) NOT NULL, 
	snapshot TEXT, 
	PRIMARY KEY (name)
);
INSERT INTO "firstmover_matches" VALUES('roads',9,'b0354b06d0acc0aaa0720d8a4f9f86fbe4a4078350baf4931d80fe1f0d8eb5ec','{"check":"b15e1d53d06241ab898d6ed0ff82b4811f338ac1ed1aa0cd6d20ae9e9ec7e367","content":{"counted":3,"fingerprint":"python 3.11.7; firstmover 0.1.0; numpy 2.4.6; scipy 1.17.1; scikit-learn 1.9.1; openblas 0.3.30 Haswell; openblas 0.3.31.188.0 Haswell; x86_64 X86_V2 X86_V3; 1 thread","inside":1,"mark":"b0354b06d0acc0aaa0720d8a4f9f86fbe4a4078350baf4931d80fe1f0d8eb5ec","sequence":9,"weights":{"cumulative":"AAAAAAAAAAAAAAAAAAA+QMRtyCuXFzhAIul2Y9twOkA=","gap":4.049449673381913}}}');
CREATE TABLE firstmover_schema (
	version INTEGER NOT NULL
);
INSERT INTO "firstmover_schema" VALUES(1);
COMMIT;

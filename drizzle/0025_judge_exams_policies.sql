-- Whether a model may judge concerns all tenants together and says nothing about any: whoever looks is bound to no tenant.
GRANT SELECT, INSERT, UPDATE ON slowwave.judge_exams TO slowwave_dispatcher;

-- How fast a model may be asked concerns all tenants together and says nothing about any: whoever paces calls is bound to no tenant.
GRANT SELECT, INSERT, UPDATE ON slowwave.model_rates TO slowwave_dispatcher;

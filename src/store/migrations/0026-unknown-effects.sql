create index effects_unknown on effects (finished_at) where state = 'unknown';

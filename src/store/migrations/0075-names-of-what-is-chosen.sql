-- What the ids in a trigger's settings were called when it was last saved: not everybody who reads them can ask the service.
alter table triggers add column if not exists names json not null default '{}';

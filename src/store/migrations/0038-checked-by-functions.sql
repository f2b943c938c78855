-- PostgreSQL reads the text of a CHECK anew for each statement, which for these took longer than storing a row; a call of a
-- function is short to read, and what it says is kept prepared. Rows that are there were held against the same before.
create function event_fits(outcome text, retry text, clause text, delivery text) returns boolean
language plpgsql immutable as $$
begin
  return outcome in ('fired', 'filtered', 'skipped', 'failed') and delivery in ('live', 'catchup', 'test', 'replay')
    and (outcome = 'filtered') = (clause is not null) and (outcome = 'failed') = (retry is not null)
    and (retry is null or retry in ('retrying', 'dead'));
end $$;
alter table events drop constraint events_outcome_check, drop constraint events_retry_check,
  drop constraint events_delivery_check, drop constraint events_check, drop constraint events_check1,
  add constraint events_fit check (event_fits(outcome, retry, clause, delivery)) not valid;

create function run_fits(status text) returns boolean language plpgsql immutable as $$
begin
  return status in ('queued', 'running', 'waiting_approval', 'succeeded', 'failed', 'cancelled');
end $$;
alter table runs drop constraint runs_status_check, add constraint runs_fit check (run_fits(status)) not valid;

create function effect_fits(effect text, state text) returns boolean language plpgsql immutable as $$
begin
  return effect in ('write', 'send', 'destroy') and state in ('intended', 'sent', 'not_sent', 'unknown');
end $$;
alter table effects drop constraint effects_effect_check, drop constraint effects_state_check,
  add constraint effects_fit check (effect_fits(effect, state)) not valid;

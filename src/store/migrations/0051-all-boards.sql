-- Triggers on all boards or workspaces ask from now on which there are. Not before the last process of the version before has
-- ended: it would begin with all that went on in them since the trigger was made.
select set_config('app.workspace', '*', true);
update triggers set resync_at = clock_timestamp() + interval '10 min'
where resync_at is null and type like 'board.%' and type <> 'board.card_due_reminder'
  and '[]' in (config ->> 'boards', config ->> 'workspaces');
select set_config('app.workspace', '', true);

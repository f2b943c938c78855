import { GraphError } from '../graph-error.ts';
import { readDateTime } from './zones.ts';

const invalid = (message: string): GraphError => new GraphError(400, 'ErrorInvalidParameter', message);
export const longestWindow = 1825 * 86_400_000;

/** startDateTime and endDateTime, in any letter case; their own offset decides, none means UTC. */
export const readWindow = (query: URLSearchParams): { from: number; to: number } => {
  const given = new Map([...query].map(([name, value]) => [name.toLowerCase(), value]));
  const [start, end] = [given.get('startdatetime'), given.get('enddatetime')];
  if (!start || !end) {
    throw invalid(
      'This request requires a time window specified by the query string parameters StartDateTime and EndDateTime.',
    );
  }
  const [from, to] = [readDateTime(start)?.ms, readDateTime(end)?.ms];
  if (from === undefined) throw invalid(`The value '${start.slice(0, 60)}' of parameter 'StartDateTime' is invalid.`);
  if (to === undefined) throw invalid(`The value '${end.slice(0, 60)}' of parameter 'EndDateTime' is invalid.`);
  if (to < from) throw invalid('The value of parameter EndDateTime is earlier than StartDateTime.');
  if (to - from > longestWindow) {
    throw new GraphError(
      400,
      'ErrorCalendarViewRangeTooBig',
      "Your request can't be completed. The range between the start and end dates is greater than the allowed range. Maximum number of days: 1825",
    );
  }
  return { from, to };
};

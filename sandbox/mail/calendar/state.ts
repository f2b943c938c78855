/** Plain data: no classes, so that a snapshot is one structuredClone. */
export type CalendarState = { kind: 'calendar' };

export const emptyCalendar = (): CalendarState => ({ kind: 'calendar' });

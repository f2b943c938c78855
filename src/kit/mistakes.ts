import { Fault } from './fault.ts';

/** Collects what is refused of an input, so that all of it is told at once. */
export const collectMistakes = () => {
  const refused: Fault[] = [];
  const collect = (error: unknown): undefined => {
    if (!(error instanceof Fault) || error.code !== 'invalid_input') throw error;
    refused.push(error);
  };
  return {
    /** What it gives; nothing where it is refused. */
    from: <T>(act: () => T): T | undefined => {
      try {
        return act();
      } catch (error) {
        return collect(error);
      }
    },
    fromLater: <T>(act: Promise<T>): Promise<T | undefined> => act.catch(collect),
    /** All that was refused, as one. */
    told: (): Fault => {
      const [first = new Fault('invalid_input', 'The input does not fit.')] = refused;
      if (refused.length < 2) return first;
      const fields = refused.flatMap(({ details }) => details?.fields ?? []);
      const message = refused.map((each) => each.message).join(' ');
      const details = Object.assign({}, ...refused.map((each) => each.details));
      return new Fault('invalid_input', message, { details: { ...details, fields } });
    },
    areThere: (): boolean => refused.length > 0,
  };
};

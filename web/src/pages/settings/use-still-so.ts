import type { Settings } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';

/** Whether a setting that would be replaced as a whole is still what is shown here. If it is not, that is shown by then. */
export const useStillSo = (textOf: (settings: Settings) => string, shown: string) => {
  const { refetch } = useRead('GET /v1/settings');
  return async (): Promise<boolean> => {
    const { data } = await refetch();
    return data === undefined || textOf(data) === shown;
  };
};

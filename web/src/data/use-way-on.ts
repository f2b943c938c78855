import { type NavigateOptions, useRouter } from '@tanstack/react-router';

type Lead = (way: NavigateOptions) => Promise<void>;

/** The way on from this page once something is done that may take a while. Whoever has gone elsewhere by then stays there. */
export const useWayOn = (): (() => Lead) => {
  const router = useRouter();
  return () => {
    const { pathname } = router.history.location;
    return async (way) => {
      if (router.history.location.pathname === pathname) await router.navigate(way);
    };
  };
};

import { useRead } from '../../data/use-read.ts';

/** Whether the sandbox stands in for the services, and where its pages are. */
export const useSandbox = () => useRead('GET /v1/sandbox').data;

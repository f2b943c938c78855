import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ApprovalSummary, SwitchboardError } from '../../../../client/src/index.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/use-read.ts';

/** As many are counted and rejected in one go. */
export const most = 1_000;

/** So many are under way at once: none waits long, and others are not kept waiting. */
const abreast = 4;

export type NotRejected = { approval: ApprovalSummary; message: string };

/** What is wrong with one of them alone: another may still be rejected. */
const isOfOne = ({ status }: SwitchboardError): boolean => status === 404 || status === 409;

/** Rejects what somebody has counted, one decision each, and nothing that came since. */
export const useRejectAll = () => {
  const queries = useQueryClient();
  const [counted, setCounted] = useState<readonly ApprovalSummary[]>();
  const [left, setLeft] = useState<readonly ApprovalSummary[]>([]);
  const [failures, setFailures] = useState<readonly NotRejected[]>([]);
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<SwitchboardError>();
  const stopped = useRef(false);

  const count = async (query: object): Promise<void> => {
    stopped.current = false;
    setCounted(undefined);
    setFailures([]);
    setProblem(undefined);
    try {
      const found: ApprovalSummary[] = [];
      for await (const each of api.all('GET /v1/approvals', { query: { ...query, status: 'pending', limit: 100 } })) {
        if (stopped.current || found.push(each) > most) break;
      }
      setCounted(found);
      setLeft(found.slice(0, most));
    } catch (error) {
      setProblem(error as SwitchboardError);
    }
  };

  const reject = async (reason: string): Promise<void> => {
    const waiting = [...left];
    stopped.current = false;
    setProblem(undefined);
    setIsBusy(true);
    const one = async (approval: ApprovalSummary): Promise<void> => {
      try {
        const body = reason === '' ? {} : { reason };
        await api.call('POST /v1/approvals/{id}/reject', { params: { id: approval.id }, body });
      } catch (error) {
        const refusal = error as SwitchboardError;
        if (!isOfOne(refusal)) {
          stopped.current = true;
          setProblem(refusal);
          return;
        }
        setFailures((all) => [...all, { approval, message: refusal.message }]);
      }
      setLeft((all) => all.filter(({ id }) => id !== approval.id));
    };
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && !stopped.current; next = waiting.shift()) await one(next);
    };
    await Promise.all(Array.from({ length: abreast }, work));
    setIsBusy(false);
    await refresh(queries, ['approvals', 'runs', 'overview']);
  };

  const stop = (): void => {
    stopped.current = true;
  };
  return { counted, left, failures, isBusy, problem, count, reject, stop };
};

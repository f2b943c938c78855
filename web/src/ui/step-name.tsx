import { useStepTitle } from '../data/use-steps.ts';

/** A step by its title, with the id that developers know it by. */
export const StepName = ({ id }: { id: string }) => {
  const titleOf = useStepTitle();
  return (
    <>
      {titleOf(id)} <span className="font-mono text-xs font-normal text-muted">{id}</span>
    </>
  );
};

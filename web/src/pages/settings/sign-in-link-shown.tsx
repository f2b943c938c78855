import { useWrite } from '../../data/use-write.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { Time } from '../../ui/time.tsx';

/** Makes a link that signs one person in once, and shows it to be passed on. */
export const SignInLinkShown = ({ memberId }: { memberId: string }) => {
  const make = useWrite('POST /v1/members/{id}/sign-in-link');
  if (make.data === undefined) {
    return (
      <div className="grid gap-4 text-sm">
        <p className="text-muted">
          The link signs this person in once, within 15 minutes. Pass it on by a way that only they can read: whoever
          holds it is signed in as them. The overview then offers them to choose a password.
        </p>
        <button
          type="button"
          className="button button-main justify-self-start"
          disabled={make.isPending}
          onClick={() => make.mutate({ params: { id: memberId } })}
        >
          Make the link
        </button>
      </div>
    );
  }
  return (
    <ShownOnce value={make.data.url} what="sign-in link">
      Treat it like a password. It works once and expires <Time at={make.data.expiresAt} />.
    </ShownOnce>
  );
};

/** How old a look at an account or a key may be when a call begins. */
export const freshMs = 500;
/** After this, no process can begin a call by a look from before. Whoever withdraws something waits so long. */
export const settleMs = freshMs + 100;

/** A gate that a test opens when it has seen what it waited for. */
export interface Gate {
  open(): void;
  opened: Promise<void>;
}

export function gate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { open, opened };
}

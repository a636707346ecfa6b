/** A promise that a test resolves when the expected state is reached. */
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

/** The directory's users by what a record may know of them; each belongs to one record at most. */
import type { DirectoryUser } from '../../core/integrations/directory/wire.ts';
import type { Employee } from '../../core/integrations/employee-records/employee.ts';

export class ClaimedUsers {
  readonly #users: readonly DirectoryUser[];
  readonly #claimed = new Set<DirectoryUser>();
  readonly #byId: ReadonlyMap<string, DirectoryUser>;
  readonly #byNumber: ReadonlyMap<string, DirectoryUser[]>;
  readonly #byEmail: ReadonlyMap<string, DirectoryUser[]>;

  constructor(users: readonly DirectoryUser[]) {
    this.#users = users;
    this.#byId = new Map(users.map(user => [user.id, user]));
    this.#byNumber = grouped(users, user => user.employeeNumber);
    this.#byEmail = grouped(users, user => user.email);
  }

  byId(id: string | null): DirectoryUser | undefined {
    return id === null ? undefined : this.#byId.get(id);
  }

  /** Undefined also when several have the number. */
  byNumber(number: string | null): DirectoryUser | undefined {
    return this.#only(this.#byNumber, number);
  }

  /** Whatever the letters' case. Two numbers that differ are two people, or two times of one, whatever their e-mails. */
  byEmail({ email, employeeNumber }: Employee): DirectoryUser | undefined {
    const user = this.#only(this.#byEmail, email);
    return user && (employeeNumber === null || user.employeeNumber === null) ? user : undefined;
  }

  /** @returns false when it is another's already */
  claim(user: DirectoryUser): boolean {
    if (this.#claimed.has(user)) return false;
    this.#claimed.add(user);
    return true;
  }

  unclaimed(): DirectoryUser[] {
    return this.#users.filter(user => !this.#claimed.has(user));
  }

  #only(groups: ReadonlyMap<string, DirectoryUser[]>, key: string | null): DirectoryUser | undefined {
    const users = key === null ? [] : (groups.get(folded(key)) ?? []);
    return users.length === 1 ? users[0] : undefined;
  }
}

const folded = (text: string): string => text.trim().toLowerCase();

function grouped(
  users: readonly DirectoryUser[],
  keyOf: (user: DirectoryUser) => string | null,
): Map<string, DirectoryUser[]> {
  const groups = new Map<string, DirectoryUser[]>();
  for (const user of users) {
    const key = keyOf(user);
    if (key === null) continue;
    const group = groups.get(folded(key));
    if (group) group.push(user);
    else groups.set(folded(key), [user]);
  }
  return groups;
}

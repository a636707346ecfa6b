/** As many people as a trial of size asks for: the firm's own first, then others of the same departments and titles. */
import { mailDomain, type Person, people } from './people.ts';

/** The first `size` people, always the same ones. Those past the firm's own all work there. */
export function crowd(size: number): readonly Person[] {
  const own = people();
  if (size <= own.length) return own.slice(0, size);
  return Array.from({ length: size }, (_, index) => own[index] ?? another(own, index + 1));
}

function another(own: readonly Person[], number: number): Person {
  const like = own[(number - 1) % own.length];
  if (!like) throw new Error('the firm has no people');
  return {
    ...like,
    number,
    email: `${like.firstName}.${like.lastName}.${number}@${mailDomain}`.toLowerCase(),
    phone: `+97152${String(number).padStart(7, '0')}`,
    // Whoever is like the head of the firm works for the head of the firm.
    managerNumber: like.managerNumber ?? 1,
    leftOn: undefined,
    crmId: number,
    directoryId: `6a${number.toString(16).padStart(22, '0')}`,
    employeeNumber: `MP-${1000 + number}`,
  };
}

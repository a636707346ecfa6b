/** The firm's people: one list for all systems, so that the CRM, the directory and the employee records are consistent. */
import { once } from './once.ts';
import { createRandom, type Random } from './random.ts';

export interface Person {
  /** 1 to 300; 1 is the chief executive. */
  number: number;
  firstName: string;
  lastName: string;
  gender: 'Female' | 'Male';
  /** Lower case, unique: first.last@meridianpalm.example; a number follows for people of the same name. */
  email: string;
  /** Mobile, E.164, unique. */
  phone: string;
  department: string;
  jobTitle: string;
  office: string;
  /** The manager's number; undefined for the chief executive. Managers are never dismissed. */
  managerNumber: number | undefined;
  /** Dates: YYYY-MM-DD. */
  bornOn: string;
  joinedOn: string;
  /** Set for the 60 dismissed people. */
  leftOn: string | undefined;
  /** An agent's registration number with the regulator. */
  brn: string | undefined;
  /** Ids in the vendor systems. */
  crmId: number;
  directoryId: string;
  employeeNumber: string;
}

const mailDomain = 'meridianpalm.example';
const headcount = 300;
const dismissedCount = 60;

/** Each department: share of the headcount, the head's title, the other titles. */
// biome-ignore format: one department a line
const departments = [
  { name: 'Management', share: 0.02, head: 'Chief Executive Officer', titles: ['Director', 'Executive Assistant'] },
  { name: 'Secondary Sales', share: 0.26, head: 'Head of Secondary Sales', titles: ['Property Consultant', 'Senior Property Consultant', 'Sales Manager'] },
  { name: 'Off-Plan Sales', share: 0.24, head: 'Head of Off-Plan Sales', titles: ['Property Consultant', 'Senior Property Consultant', 'Project Sales Manager'] },
  { name: 'Leasing', share: 0.16, head: 'Head of Leasing', titles: ['Leasing Consultant', 'Senior Leasing Consultant'] },
  { name: 'Property Management', share: 0.08, head: 'Head of Property Management', titles: ['Property Manager', 'Maintenance Coordinator'] },
  { name: 'Marketing', share: 0.07, head: 'Head of Marketing', titles: ['Listing Coordinator', 'Photographer', 'Campaign Specialist'] },
  { name: 'Call Centre', share: 0.06, head: 'Call Centre Manager', titles: ['Telesales Executive', 'Client Service Agent'] },
  { name: 'Conveyancing', share: 0.04, head: 'Head of Conveyancing', titles: ['Conveyancer', 'Transfer Coordinator'] },
  { name: 'Finance', share: 0.03, head: 'Finance Director', titles: ['Accountant', 'Commission Analyst'] },
  { name: 'IT', share: 0.02, head: 'Head of IT', titles: ['Systems Engineer', 'CRM Developer'] },
  { name: 'HR', share: 0.02, head: 'Head of HR', titles: ['HR Officer', 'Recruiter'] },
] as const;

const sellingDepartments: readonly string[] = ['Secondary Sales', 'Off-Plan Sales', 'Leasing'];
const offices = ['Downtown Dubai', 'Dubai Marina', 'Dubai Hills', 'Abu Dhabi'] as const;

const women =
  'Fatima Aisha Mariam Noura Hessa Shaikha Layla Salma Hanan Rania Dina Yasmin Nadia Priya Anjali Deepa Kavita Sneha Meera Divya Olga Elena Natalia Irina Ekaterina Maria Angela Grace Joy Kristine Sarah Emma Charlotte Olivia Sophie Hannah Chloe Lucy Camille Giulia'.split(
    ' ',
  );
const men =
  'Mohammed Ahmed Khalid Omar Ali Hassan Saeed Rashid Sultan Hamad Youssef Karim Tariq Bilal Imran Faisal Zubair Rajesh Arjun Vikram Sanjay Rohan Karthik Sunil Dmitry Sergei Andrei Pavel Mark Jerome Christian Paolo James Oliver Thomas Daniel Liam Lucas Matteo Antoine'.split(
    ' ',
  );
const lastNames =
  'Al-Mansoori Al-Hashimi Al-Suwaidi Al-Nuaimi Al-Marri Haddad Khoury Nasser Saleh Mahmoud Ibrahim Farouk Khan Malik Qureshi Sheikh Hussain Chaudhry Sharma Patel Nair Menon Iyer Reddy Kapoor Desai Fernandes DSouza Ivanova Petrov Volkov Sokolova Reyes Santos Cruz Bautista Mendoza Smith Taylor Walker Hughes Bennett Clarke Rossi Moreau Dubois Novak Kovac Silva Costa'.split(
    ' ',
  );

/** The same 300 people each time, ordered by number. */
export const people: () => readonly Person[] = once(makePeople);

function makePeople(): readonly Person[] {
  const random = createRandom('people');
  const emails = new Set<string>();
  const phones = new Set<string>();
  const positions = drawPositions(random);
  const leavers = chooseLeavers(random, positions);

  return positions.map(({ department, jobTitle, managerNumber }, index) => {
    const number = index + 1;
    const gender = random.chance(0.45) ? 'Female' : 'Male';
    const firstName = random.pick(gender === 'Female' ? women : men);
    const lastName = random.pick(lastNames);
    const joinedOn = randomDate(random, 2016, 2025);
    return Object.freeze({
      number,
      firstName,
      lastName,
      gender,
      email: takeUnused(emails, attempt => emailOf(firstName, lastName, attempt)),
      phone: takeUnused(
        phones,
        () => `+9715${random.pick(['0', '2', '4', '5', '6', '8'])}${random.whole(1_000_000, 9_999_999)}`,
      ),
      department,
      jobTitle,
      office: random.pick(offices),
      managerNumber,
      bornOn: randomDate(random, 1966, 1999),
      joinedOn,
      leftOn: leavers.has(number) ? `2026-0${random.whole(1, 5)}-${random.whole(10, 28)}` : undefined,
      brn: sellingDepartments.includes(department) ? String(random.whole(20_000, 79_999)) : undefined,
      crmId: number,
      directoryId: `5f${random.hex(22)}`,
      employeeNumber: `MP-${1000 + number}`,
    });
  });
}

interface Position {
  department: string;
  jobTitle: string;
  managerNumber: number | undefined;
}

/** One position for each person, by department; the first of a department is its head. */
function drawPositions(random: Random): Position[] {
  const positions: Position[] = [];
  for (const { name, share, head, titles } of departments) {
    const headNumber = positions.length + 1;
    positions.push({ department: name, jobTitle: head, managerNumber: headNumber === 1 ? undefined : 1 });
    for (let more = Math.round(share * headcount) - 1; more > 0; more -= 1)
      positions.push({ department: name, jobTitle: random.pick(titles), managerNumber: headNumber });
  }
  return positions.slice(0, headcount);
}

function chooseLeavers(random: Random, positions: readonly Position[]): Set<number> {
  const managers = new Set(positions.map(({ managerNumber }) => managerNumber));
  const leavers = new Set<number>();
  while (leavers.size < dismissedCount) {
    const number = random.whole(1, positions.length);
    if (!managers.has(number)) leavers.add(number);
  }
  return leavers;
}

function emailOf(firstName: string, lastName: string, attempt: number): string {
  const namesake = attempt === 1 ? '' : String(attempt);
  return `${firstName}.${lastName}${namesake}@${mailDomain}`.toLowerCase();
}

function takeUnused(taken: Set<string>, make: (attempt: number) => string): string {
  for (let attempt = 1; ; attempt += 1) {
    const candidate = make(attempt);
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}

function randomDate(random: Random, fromYear: number, toYear: number): string {
  const month = String(random.whole(1, 12)).padStart(2, '0');
  return `${random.whole(fromYear, toYear)}-${month}-${String(random.whole(1, 28)).padStart(2, '0')}`;
}

/** The first `size` people, the same each time. People beyond the firm's 300 copy those and are all employed. */
export function generatePeople(size: number): readonly Person[] {
  const own = people();
  if (size <= own.length) return own.slice(0, size);
  return Array.from({ length: size }, (_, index) => own[index] ?? copyPerson(own, index + 1));
}

function copyPerson(own: readonly Person[], number: number): Person {
  const template = own[(number - 1) % own.length];
  if (!template) throw new Error('the list of people is empty');
  return {
    ...template,
    number,
    email: `${template.firstName}.${template.lastName}.${number}@${mailDomain}`.toLowerCase(),
    phone: `+97152${String(number).padStart(7, '0')}`,
    // A copy of the chief executive reports to the chief executive.
    managerNumber: template.managerNumber ?? 1,
    leftOn: undefined,
    crmId: number,
    directoryId: `6a${number.toString(16).padStart(22, '0')}`,
    employeeNumber: `MP-${1000 + number}`,
  };
}

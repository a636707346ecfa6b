import { expect, it } from 'vitest';
import { coarserGrade, type PhotoGrade, printGrade } from '../../../../../workers/pdf/photos/photo-grade.ts';

it('photos that must lose a little lose quality before resolution', () => {
  expect(coarserGrade(printGrade, 0.8)).toMatchObject({ dpi: 150, quality: 60 });
});

it('photos that must lose much go there in one step', () => {
  expect(coarserGrade(printGrade, 0.31)).toMatchObject({ dpi: 96 });
});

it('every step down is coarser than the one before, and there is a last one', () => {
  const grades: PhotoGrade[] = [];
  for (let grade: PhotoGrade | undefined = printGrade; grade; grade = coarserGrade(grade, 0.99))
    grades.push(grade);
  expect(grades.length).toBeGreaterThan(5);
  for (const [at, grade] of grades.slice(1).entries()) {
    expect(grade.dpi * grade.quality).toBeLessThan((grades[at]?.dpi ?? 0) * (grades[at]?.quality ?? 0));
  }
});

it('what no step can do is given the last one', () => {
  expect(coarserGrade(printGrade, -1)).toMatchObject({ dpi: 50 });
});

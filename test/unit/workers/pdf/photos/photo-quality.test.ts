import { expect, it } from 'vitest';
import {
  lowerQuality,
  type PhotoQuality,
  printQuality,
} from '../../../../../workers/pdf/photos/photo-quality.ts';

it('photos that must lose a little lose quality before resolution', () => {
  expect(lowerQuality(printQuality, 0.8)).toMatchObject({ dpi: 150, jpegQuality: 60 });
});

it('photos that must lose much go there in one step', () => {
  expect(lowerQuality(printQuality, 0.31)).toMatchObject({ dpi: 96 });
});

it('every step down is coarser than the one before, and there is a last one', () => {
  const grades: PhotoQuality[] = [];
  for (let grade: PhotoQuality | undefined = printQuality; grade; grade = lowerQuality(grade, 0.99))
    grades.push(grade);
  expect(grades.length).toBeGreaterThan(5);
  for (const [at, grade] of grades.slice(1).entries()) {
    expect(grade.dpi * grade.jpegQuality).toBeLessThan(
      (grades[at]?.dpi ?? 0) * (grades[at]?.jpegQuality ?? 0),
    );
  }
});

it('what no step can do is given the last one', () => {
  expect(lowerQuality(printQuality, -1)).toMatchObject({ dpi: 50 });
});

/** A setup file of unit tests: tests of properties check the same examples in every run; FUZZ_SEED sets others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FUZZ_SEED ?? 1) });

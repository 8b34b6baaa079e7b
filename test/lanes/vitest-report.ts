/** A report that vitest has written with `--reporter=json`. */

export interface Report {
  readonly testResults: readonly FileResult[];
}

/** What one file gave in one project. */
export interface FileResult {
  /** An absolute path. */
  readonly name: string;
  readonly status?: string;
  /** Why the file could not be run; empty otherwise. */
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

export interface TestResult {
  /** The titles of its `describe`s, and its own. */
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages?: readonly string[];
}

/** @throws TypeError when the text is no such report. */
export function reportFrom(text: string): Report {
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch (error) {
    throw new TypeError(`it is no JSON: ${(error as Error).message}`);
  }
  if (!isReport(report))
    throw new TypeError('it is no report of vitest: run it with --reporter=json');
  return report;
}

function isReport(value: unknown): value is Report {
  const { testResults } = (value ?? {}) as Partial<Report>;
  return (
    Array.isArray(testResults) &&
    testResults.every(
      ({ name, assertionResults }: Partial<FileResult>) =>
        typeof name === 'string' &&
        Array.isArray(assertionResults) &&
        assertionResults.every(
          ({ fullName, status }: Partial<TestResult>) =>
            typeof fullName === 'string' && typeof status === 'string',
        ),
    )
  );
}

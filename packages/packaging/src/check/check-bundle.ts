import { readFile } from 'node:fs/promises';
import { ConfigurationError, messageOf } from 'chancery';
import {
  type CHECK,
  type ExitCode,
  type GivenTo,
  type Io,
  LineWriter,
  visibleJson,
  visibleText,
} from 'chancery/internal';
import { bundleOf } from '../bundle-check/bundle.ts';
import type { BundleFinding } from '../bundle-check/bundle-finding.ts';
import { bundleFindings } from '../bundle-check/bundle-findings.ts';
import { categoriesIn } from '../bundle-check/rules/operator-hub.ts';
import { oldestKubernetes } from '../bundle-check/rules/removed-apis.ts';
import { kubernetesVersion } from '../bundle-check/semantic-version.ts';
import { readBundleFolder } from './bundle-folder.ts';
import { withDefinitionServer } from './definition-server.ts';

const FORMATS: Readonly<Record<'json' | 'text', (finding: BundleFinding) => string>> = {
  json: (finding) => visibleJson(JSON.stringify(finding)),
  text: ({ rule, level, file, path, message }) =>
    visibleText(`${level}: ${file}${path === '' ? '' : ` ${path}`} ${message} [${rule}]`).replace(
      /\s+/g,
      ' ',
    ),
};

/**
 * `chancery check bundle DIR`: checks an OLM bundle. Returns 0 if there are no errors, otherwise 1.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong, or when DIR is not a bundle.
 */
export async function checkBundle(
  { values, words }: GivenTo<typeof CHECK>,
  io: Io,
  hasTestKit?: boolean,
): Promise<ExitCode> {
  const { output, k8sVersion, olmV0: olmV0Only } = values;
  if (k8sVersion !== undefined && kubernetesVersion(k8sVersion) === undefined) {
    throw new ConfigurationError(
      `--k8s-version must be a version such as 1.30, not ${JSON.stringify(k8sVersion)}`,
    );
  }
  const [folder, ...others] = words;
  if (folder === undefined || others.length > 0) {
    throw new ConfigurationError(`expected one folder with a bundle; got ${words.length}`);
  }
  const files = await readBundleFolder(folder);
  const categories = await knownCategories(io.env.OPERATOR_BUNDLE_CATEGORIES);
  const findings = await withDefinitionServer(
    (definitionProblems) =>
      bundleFindings(files, { k8sVersion, olmV0Only, categories, definitionProblems }),
    hasTestKit,
  );
  using lines = new LineWriter(io.stdout, io.signal);
  await lines.write(findings.map(FORMATS[output]));
  const errors = findings.filter(({ level }) => level === 'error').length;
  const sum = `${counted(errors, 'error')} and ${counted(findings.length - errors, 'warning')}`;
  const kubernetes = kubernetesWords(files, k8sVersion);
  io.stderr.write(`chancery check bundle: ${sum} in ${counted(files.size, 'file')}${kubernetes}\n`);
  return errors > 0 ? 1 : 0;
}

/**
 * The categories in a file. The path of the file is in an environment variable that operator-sdk
 * uses as well.
 */
async function knownCategories(file: string | undefined): Promise<readonly string[] | undefined> {
  if (file === undefined || file === '') return undefined;
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigurationError(`OPERATOR_BUNDLE_CATEGORIES: ${messageOf(error)}`, {
      cause: error,
    });
  });
  const found = categoriesIn(text);
  if (found !== undefined) return found;
  throw new ConfigurationError(`OPERATOR_BUNDLE_CATEGORIES: ${file} is no {"categories": ["…"]}`);
}

/**
 * The words for the Kubernetes version with which removed APIs are compared, and for the source of
 * this version.
 */
function kubernetesWords(
  files: ReadonlyMap<string, string>,
  k8sVersion: string | undefined,
): string {
  const oldest = oldestKubernetes(bundleOf(files), { k8sVersion });
  if (oldest === undefined) return '';
  const { text, from } = oldest;
  return `, for Kubernetes ${visibleText(text)} of ${from === 'k8sVersion' ? '--k8s-version' : from}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

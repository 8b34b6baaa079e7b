import { ConfigurationError } from '../../core/errors.ts';
import type { CacheSize } from '../../generate/lint/cache-memory.ts';
import type { Diagnostic } from '../../generate/lint/diagnostic.ts';
import { lint } from '../../generate/lint/lint.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Command, ExitCode, Io } from '../command.ts';
import { parseFlags } from '../flags.ts';
import { LineWriter } from '../line-writer.ts';
import { type ManifestDocument, readManifests } from '../manifest-files.ts';
import { readCacheSize } from './cache-size-file.ts';
import { LINT_DESCRIPTION } from './help.ts';

const FLAGS = {
  output: { type: 'string', short: 'o' },
  status: { type: 'string' },
} as const;

const FORMATS: Readonly<Record<string, (diagnostic: Diagnostic) => string>> = {
  json: (diagnostic) => JSON.stringify(diagnostic),
  text: ({ rule, level, object, message }) => oneLine(`${level}: ${object} ${message} [${rule}]`),
};

/** `chancery lint`: what is wrong with rendered manifests. */
export function lintCommand(): Command {
  return {
    ...LINT_DESCRIPTION,

    async run(args: readonly string[], io: Io): Promise<ExitCode> {
      const { values, positionals } = parseFlags(args, FLAGS);
      const { output = 'text', status } = values;
      const format = FORMATS[output];
      if (format === undefined) {
        throw new ConfigurationError(
          `--output must be text or json, not ${JSON.stringify(output)}`,
        );
      }
      if (positionals.length === 0) {
        throw new ConfigurationError('expected a FILE, or "-" for standard input; got none');
      }
      const caches = status === undefined ? undefined : await readCacheSize(status);
      const documents = await readManifests(positionals, io.stdin, '');
      const objects = documents.flatMap(objectsOf);
      const diagnostics = lint(objects, { caches });
      using lines = new LineWriter(io.stdout, io.signal);
      await lines.write(diagnostics.map(format));
      const errors = diagnostics.filter(({ level }) => level === 'error').length;
      const warnings = diagnostics.length - errors;
      const found = `${counted(errors, 'error')} and ${counted(warnings, 'warning')}`;
      io.stderr.write(`chancery lint: ${found} in ${counted(objects.length, 'object')}\n`);
      if (caches !== undefined) io.stderr.write(`chancery lint: ${heldBy(caches)}\n`);
      return errors > 0 ? 1 : 0;
    },
  };
}

/** `kubectl get -o yaml` puts objects into a List. */
function objectsOf({ file, value }: ManifestDocument): readonly KubernetesObject[] {
  const { apiVersion, kind, items } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (String(apiVersion).startsWith('kustomize.config.k8s.io/')) {
    throw new ConfigurationError(
      `${file} is a ${kind} that is not rendered; pipe it: kubectl kustomize FOLDER | chancery lint -`,
    );
  }
  if (kind === 'List' && Array.isArray(items)) return items as KubernetesObject[];
  return [value as KubernetesObject];
}

/** What the memory limit was compared with, also where that has no diagnostic. */
function heldBy(caches: CacheSize): string {
  const held = `${counted(caches.objects, 'object')} of ${(caches.bytes / 1e6).toFixed(1)} MB`;
  return `the caches of --status hold ${held}`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Names in a manifest may hold anything, and a terminal obeys some of it. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ');
}

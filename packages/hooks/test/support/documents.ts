import type { YamlReader } from '../../../../operator/core/yaml-thread/yaml-reader.ts';
import { yamlWork } from '../../../../operator/core/yaml-thread/yaml-work.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { documentIn } from '../../src/config/fields.ts';
import { parseConfig } from '../../src/config/parse-config.ts';
import type { HookConfig, HookRight } from '../../src/hook.ts';
import type { ReadParts } from '../../src/results/read-documents.ts';
import { parseRights } from '../../src/rights/rights-file.ts';

/** Reads YAML as the thread does, without a thread. */
export const YAML_HERE: Pick<YamlReader, 'read'> = { read: async (request) => yamlWork(request) };

/** With what results are read. */
export const READ_PARTS: ReadParts = { yaml: YAML_HERE, signal: new AbortController().signal };

/** A configuration without bindings. */
export const NO_BINDINGS = {
  version: 'v1',
  schedules: [],
  kubernetes: [],
  admission: [],
  conversions: [],
} as const satisfies HookConfig;

/** What the text of an answer to `--config` says. */
export function configOf(text: string): HookConfig {
  return parseConfig(documentOf(text));
}

/** What the text of a rights file says. */
export function rightsOf(text: string): readonly HookRight[] {
  return parseRights(documentOf(text));
}

function documentOf(text: string): unknown {
  return runToEnd(documentIn(yamlWork({ texts: [text], form: 'unique' })));
}

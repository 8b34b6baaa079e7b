import { FILTER_SHUT, type FilterVerdict, filterOpen } from '../../client/filter-test.ts';
import type { ExcessAccessRule } from '../../generate/access/excess-rules.ts';
import {
  type MissingAccessRule,
  missingRules,
  needsText,
  ruleYaml,
} from '../../generate/access/missing-rules.ts';
import type { AccessReport } from '../../manager/safety/access-check.ts';

/** What `chancery check` has found out. */
interface Findings {
  readonly filter: FilterVerdict;
  /** The path of a visible token. */
  readonly token: string | undefined;
  readonly tokenAllowed: boolean;
  /** Undefined: it was not asked, for the filter is shut. */
  readonly access: AccessReport | undefined;
}

/** True when nothing is missing, open or unknown. */
export function isSound({ filter, token, tokenAllowed, access }: Findings): boolean {
  return (
    filter.state === 'closed' &&
    (token === undefined || tokenAllowed) &&
    access !== undefined &&
    access.missing.rights.length === 0 &&
    access.missing.paths.length === 0
  );
}

/** The findings for people, as lines. */
export function textReport(findings: Findings, options: { readonly excess: boolean }): string[] {
  const { token, tokenAllowed, access } = findings;
  const rules = access === undefined ? [] : missingRules(access.missing);
  const allowed = tokenAllowed ? ', and allowed' : '';
  return [
    `filter: ${filterText(findings.filter)}`,
    `token: ${token === undefined ? 'none is visible' : `visible at ${token}${allowed}`}`,
    `rights: ${access === undefined ? 'not asked' : rightsText(rules)}`,
    ...rules.flatMap(missingLines),
    ...(options.excess && access !== undefined ? excessLines(access.excess) : []),
  ];
}

/** The findings for programs: one document. */
export function jsonReport(findings: Findings, options: { readonly excess: boolean }): object {
  const { filter, token, access } = findings;
  return {
    ok: isSound(findings),
    filter,
    token: token ?? null,
    ...(access !== undefined && {
      missing: access.missing.rights.map(({ resource, ...right }) => ({
        verb: right.verb,
        group: resource.group,
        resource: resource.plural,
        subresource: right.subresource ?? null,
        name: right.name ?? null,
        namespace: right.namespace ?? null,
        neededBy: right.neededBy,
      })),
      missingPaths: access.missing.paths,
      rules: missingRules(access.missing).map(({ kind, namespace, rule }) => ({
        kind,
        namespace: namespace ?? null,
        rule,
      })),
      incomplete: access.incomplete ?? null,
      ...(options.excess && {
        excess: access.excess.map((each) => ({ ...each, namespace: each.namespace ?? null })),
      }),
    }),
  };
}

function filterText(verdict: FilterVerdict): string {
  switch (verdict.state) {
    case 'closed':
      return 'closed, it refuses what it must refuse';
    case 'shut':
      return `shut: ${FILTER_SHUT}`;
    case 'open':
      return filterOpen(verdict.missing).message.replace(/^the ambassador's filter is /, '');
    case 'undecided':
      return `unknown: ${verdict.why}`;
  }
}

function rightsText(rules: readonly MissingAccessRule[]): string {
  if (rules.length === 0) return 'every declared right is there';
  return `${rules.length} ${rules.length === 1 ? 'rule is' : 'rules are'} missing`;
}

function missingLines({ kind, namespace, rule, text, neededBy }: MissingAccessRule): string[] {
  const place = namespace === undefined ? `a ${kind}` : `a ${kind} in namespace ${namespace}`;
  return [
    '',
    `missing: ${text}`,
    `  for: ${needsText(neededBy)}`,
    `  add to ${place}:`,
    `    - ${ruleYaml(rule)}`,
  ];
}

/** The worst first. */
const KINDS = ['wildcard', 'escalation', 'secrets', 'undeclared'] as const;

function excessLines(excess: readonly ExcessAccessRule[]): string[] {
  if (excess.length === 0) return ['', 'beyond the declarations: nothing that is listed'];
  const sorted = KINDS.flatMap((kind) => excess.filter((each) => each.kind === kind));
  return [
    '',
    'beyond the declarations:',
    ...sorted.map(({ namespace, rule, kind }) => {
      const place = namespace === undefined ? 'everywhere' : `in namespace ${namespace}`;
      return `  ${kind}, ${place}: ${ruleYaml(rule)}`;
    }),
  ];
}

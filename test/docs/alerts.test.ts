/** docs/guides/operate/alerts.md: what to do about each alert. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { monitoringOf } from '../../operator/generate/monitoring/monitoring.ts';
import { inRepository } from '../manifests/support/trees.ts';

const PAGE = 'docs/guides/operate/alerts.md';
const page = readFileSync(inRepository(PAGE), 'utf8');

interface Rule {
  readonly alert: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly runbook: string };
}

const { rules } = monitoringOf({
  name: 'shop',
  namespace: 'shop',
  command: 'make',
  hasElection: true,
  isSharded: true,
  hasWebhooks: true,
});
const [group] = (rules as unknown as { spec: { groups: [{ rules: readonly Rule[] }] } }).spec
  .groups;

/** The sections of alerts, and what they begin with. */
const sections = [...page.matchAll(/^## (Chancery\w+)\n\n(\w+)\. (.*)$/gm)];

test('alerts.md has one section per alert, in the order of the rules, and no other', () => {
  expect(sections.map(([, name]) => name)).toEqual(group.rules.map(({ alert }) => alert));
});

test('the runbook of every alert points to its section in alerts.md', () => {
  const named = group.rules.map(({ annotations }) => annotations.runbook);

  expect(named).toEqual(sections.map(([, name = '']) => `${PAGE}#${name.toLowerCase()}`));
});

test('each section of alerts.md contains the severity of its alert, and the delay before it fires', () => {
  for (const [at, { labels, for: wait }] of group.rules.entries()) {
    const [, , severity = '', text = ''] = sections[at] ?? [];
    expect(severity.toLowerCase()).toBe(labels.severity);
    if (wait !== undefined) expect(text).toContain(`${Number.parseInt(wait, 10)} minutes`);
  }
});

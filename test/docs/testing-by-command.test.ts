/** docs/guides/test/by-command.md: its faults file is taken, and its tables are those of the code. */
import { AdminEndpoint, ApiServer, MovableClock, readFaults } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { APISERVER } from '../../operator/cli/apiserver/table.ts';
import { parseYaml } from '../../operator/core/yaml.ts';
import { guide, rowsOf } from './guide.ts';

const page = guide('guides/test/by-command.md');

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, PutFaults>>>>;
}

interface PutFaults {
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json': {
        readonly schema: {
          readonly properties: {
            readonly faults: { readonly items: { readonly properties: object } };
          };
        };
      };
    };
  };
}

async function document(): Promise<Document> {
  const clock = new MovableClock();
  const server = await ApiServer.start({ clock });
  onTestFinished(() => server.close());
  const admin = await AdminEndpoint.start(server, { clock });
  onTestFinished(() => admin.close());
  return (await (await fetch(`${admin.url}/openapi.json`)).json()) as Document;
}

test('readFaults accepts the faults in by-command.md', () => {
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? [];

  expect(readFaults(parseYaml(yaml))).toHaveLength(3);
});

test('the table of operations in by-command.md has exactly the operations of the admin endpoint', async () => {
  const { paths } = await document();
  const served = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

  const shown = [...page.matchAll(/^\| `([A-Z]+ \/\S+)` \|/gm)].map(([, operation]) => operation);

  expect(shown.toSorted()).toEqual(served.toSorted());
});

test('the table of fields in by-command.md has exactly the fields of a fault', async () => {
  const { paths } = await document();
  const { schema } = paths['/faults']?.put?.requestBody?.content['application/json'] ?? {};
  const known = Object.keys(schema?.properties.faults.items.properties ?? {});

  const rows = rowsOf(page.slice(page.indexOf('| field | meaning |')));
  const shown = rows.flatMap(([cell = '']) =>
    /^`[a-z]/.test(cell) ? [...cell.matchAll(/`(\w+)`/g)].map(([, field]) => field) : [],
  );

  expect(known.length).toBeGreaterThan(9);
  expect(shown).toEqual(known);
});

test('every option in by-command.md exists', () => {
  const named = [...page.matchAll(/--([a-z]+(?:-[a-z]+)*)/g)].map(([, option = '']) => option);

  const known = [...Object.keys(APISERVER.options), 'data-binary'];
  expect(named.filter((option) => !known.includes(option))).toEqual([]);
  expect(new Set(named)).toContain('admin-port');
});

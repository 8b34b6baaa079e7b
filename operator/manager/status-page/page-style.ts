/** Tables become cards where the screen is narrow; colours follow the reader's system. */
export const STYLE: string = `
:root { color-scheme: light dark; --line: #8884; --dim: #777; --ok: #1a7f37; --warn: #9a6700; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --dim: #999; --ok: #3fb950; --warn: #d29922; --bad: #f85149; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 72rem; font: 15px/1.45 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.3rem; overflow-wrap: anywhere; }
h2 { margin: 1.6rem 0 .4rem; font-size: 1rem; }
p { margin: .2rem 0; }
#where, #link, .dim { color: var(--dim); }
#link.lost { color: var(--bad); font-weight: 600; }
.badge { display: inline-block; margin: 0 .4rem .2rem 0; padding: 0 .5rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; }
.ok { color: var(--ok); } .warn { color: var(--warn); } .bad { color: var(--bad); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere; }
th { color: var(--dim); font-weight: 500; font-size: .85rem; }
svg { width: 100%; height: 4rem; } rect { fill: currentColor; opacity: .65; }
@media (max-width: 640px) {
  thead { position: absolute; clip-path: inset(50%); }
  tr { display: block; margin: 0 0 .6rem; padding: .3rem .6rem; border: 1px solid var(--line); border-radius: .5rem; }
  td { display: flex; gap: 1rem; justify-content: space-between; padding: .15rem 0; border: 0; text-align: right; }
  td::before { content: attr(data-label); color: var(--dim); text-align: left; flex: none; }
}
`;

// semver: versions read, compared, raised, and matched against ranges.
'use strict';
const semver = require('semver');

const log = (...words) => console.log(...words);
for (const text of ['1.2.3', 'v1.2.3-beta.4+build.5', ' =1.0.0 ', '1.2', '01.2.3', '1.2.3-', '99999999999999999.0.0', '', null]) log(JSON.stringify(text), semver.valid(text), semver.valid(text, { loose: true }), semver.parse(text)?.prerelease ?? null);
log(semver.sort(['1.10.0', '1.2.0', '1.2.0-rc.1', '1.2.0-rc.10', '1.2.0-rc.2', '1.2.0-alpha']), semver.rcompareIdentifiers('2', '10'));
for (const kind of ['major', 'minor', 'patch', 'premajor', 'preminor', 'prepatch', 'prerelease', 'release']) log(kind, tried(() => semver.inc('1.2.3-beta.1', kind, 'rc')));
const ranges = ['^1.2.3', '~1.2', '1.x || >=2.5.0 <3', '1.2 - 2.3.4', '*', '', '<1.0.0-0', '>=1.2.3-alpha <2', '^0.0.3', '^0.2', '~>1', 'blerg', '>1 <0'];
const versions = ['0.0.3', '0.2.9', '1.2.3', '1.2.3-beta', '1.9.9', '2.3.5', '2.6.0', '3.0.0-rc'];
for (const range of ranges) log(JSON.stringify(range), semver.validRange(range), versions.filter((version) => semver.satisfies(version, range)), semver.maxSatisfying(versions, range), String(tried(() => semver.minVersion(range))));
log(semver.diff('1.2.3', '2.0.0-rc'), semver.diff('1.2.3', '1.2.3'), semver.gtr('4.0.0', '^1 || ^2'), semver.ltr('0.1.0', '^1'), semver.intersects('^1.2', '<1.3'), semver.subset('^1.2.3', '^1'), semver.simplifyRange(versions, '>=1.2.3 <=2.6.0'));
log(semver.coerce('version 4.5 of it').version, semver.coerce('1.2.3.4.5.6', { rtl: true }).version, semver.coerce('none'), semver.clean(' =v2.1.5foo '), semver.satisfies('3.0.0-rc', '*', { includePrerelease: true }));
const one = new semver.SemVer('1.2.3-a.b+c');
log(one, one.compare('1.2.3'), one.comparePre('1.2.3-a.c'), `${one}`, one.build, new semver.Range('1.2 || >3').range, new semver.Comparator('>=1.2.3').test('1.3.0'));
for (const wrong of [() => new semver.SemVer('x'), () => new semver.SemVer({}), () => new semver.Range('>>1'), () => new semver.Comparator('=='), () => semver.inc('1.2.3', 'nonsense', 'x') ?? 'null']) log(tried(wrong));

function tried(work) {
  try {
    return work();
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
}

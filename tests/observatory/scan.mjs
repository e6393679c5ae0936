// What Mozilla's Observatory says of a server: node scan.mjs <name> <http port> <https port>
// Its own way in takes no ports, so its parts are put together here: what it fetches, its tests, its scores.
import { existsSync, writeFileSync } from "node:fs";
import { ALL_TESTS } from "@mdn/mdn-http-observatory/src/constants.js";
import { MINIMUM_SCORE_FOR_EXTRA_CREDIT } from "@mdn/mdn-http-observatory/src/grader/charts.js";
import { getGradeForScore, getScoreModifier } from "@mdn/mdn-http-observatory/src/grader/grader.js";
import { retrieve } from "@mdn/mdn-http-observatory/src/retriever/retriever.js";

// Who is on the browsers' own list of https sites, which it fetches when it is installed: nobody here.
const known = new URL("node_modules/@mdn/mdn-http-observatory/conf/hsts-preload.json", import.meta.url);
if (!existsSync(known)) writeFileSync(known, "{}");

const [name, httpPort, httpsPort] = process.argv.slice(2);
const fetched = await retrieve(name, { httpPort, httpsPort });
const found = ALL_TESTS.map((test) => test(fetched)).filter((each) => each.result);
const worth = (each) => getScoreModifier(each.result);
const sum = (some) => some.reduce((so_far, each) => so_far + worth(each), 100);
const bare = sum(found.filter((each) => worth(each) < 0));
const { score, grade } = getGradeForScore(bare >= MINIMUM_SCORE_FOR_EXTRA_CREDIT ? sum(found) : bare);
const tests = Object.fromEntries(found.map((each) => [each.constructor.name, [each.result, worth(each)]]));
console.log(JSON.stringify({ score, grade, tests, verified: fetched.responses.auto?.verified }));

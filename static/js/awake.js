// Keeps this screen on while somebody looks at the table. Over https the browser has a lock for that. On plain http,
// where tables are, it has none, but no screen sleeps on a video that plays: so from the first touch on a silent one of
// two pixels does, drawn here. It is a stream and no file: those that are small, silent or looping are let sleep on.

let awake = false;
export const isAwake = () => awake;
const known = !navigator.vendor.startsWith("Apple"); // Safari says nowhere what keeps it awake, so nobody is promised it
let trying = false;
let video = null;

async function lock() {
  const held = await navigator.wakeLock.request("screen");
  awake = true;
  held.addEventListener("release", () => { awake = false; });
}

async function play() {
  video ??= film();
  await video.play();
}

function film() {
  const canvas = Object.assign(document.createElement("canvas"), { width: 2, height: 2 });
  const brush = canvas.getContext("2d");
  const made = Object.assign(document.createElement("video"), { className: "awake", muted: true, playsInline: true });
  made.setAttribute("aria-hidden", "true");
  made.disablePictureInPicture = true;
  made.srcObject = canvas.captureStream(1);
  made.addEventListener("playing", () => { awake = known; });
  made.addEventListener("pause", () => { awake = false; });
  let frame = 0;
  setInterval(() => {
    if (document.hidden) return;
    brush.fillStyle = frame++ % 2 ? "#000" : "#010101"; // a picture that never changes is never sent
    brush.fillRect(0, 0, 2, 2);
  }, 1000);
  brush.fillRect(0, 0, 2, 2);
  document.body.append(made);
  return made;
}

async function keepAwake(touched) {
  if (awake || trying || document.hidden) return;
  trying = true;
  try {
    if (navigator.wakeLock) await lock();
    else if (touched || video) await play();
  } catch { /* the pill says that the screen may dim */ }
  trying = false;
}

for (const name of ["click", "keydown"]) addEventListener(name, () => keepAwake(true), { passive: true });
document.addEventListener("visibilitychange", () => { if (document.hidden) video?.pause(); else keepAwake(false); });
keepAwake(false);

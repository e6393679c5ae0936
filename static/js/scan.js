// A table's QR code, read by this page: over https the camera is ours to ask for. Where a browser cannot read such codes,
// the phone's own camera can, and that is said. On plain http the button is not there.

const HAND = "Open this phone’s own camera, hold it over the code, and tap what it offers. Or type the six characters under the code.";
const button = document.getElementById("scan");
const sheet = document.getElementById("scanner");
const video = sheet?.querySelector("video");
const words = sheet?.querySelector("[role=status]");
let stream = null;

if (button && isSecureContext && navigator.mediaDevices) {
  button.hidden = false;
  button.addEventListener("click", scan);
  sheet.addEventListener("close", stop);
}

const say = (text) => { words.textContent = text; };

async function detector() {
  const known = "BarcodeDetector" in window && (await BarcodeDetector.getSupportedFormats()).includes("qr_code");
  return known ? new BarcodeDetector({ formats: ["qr_code"] }) : null;
}

async function scan() {
  sheet.showModal();
  video.hidden = true;
  say("One moment …");
  const reader = await detector();
  if (!reader) return say(`This browser cannot read QR codes. ${HAND}`);
  try {
    stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  } catch {
    return say(`The camera is not for us to use. ${HAND}`);
  }
  if (!sheet.open) return stop();
  video.srcObject = stream;
  video.hidden = false;
  await video.play();
  say("Hold it over the QR code of the table.");
  look(reader);
}

async function look(reader) {
  if (!sheet.open || !stream) return;
  for (const { rawValue } of await reader.detect(video).catch(() => [])) if (go(rawValue)) return;
  setTimeout(look, 150, reader);
}

/** To that table, here: an invitation may name this server by its address on plain http. */
function go(text) {
  const path = URL.canParse(text) && new URL(text).pathname.match(/^\/j\/\w{6}(?:\/[\w-]+)?$/);
  if (!path) return say("That is a QR code, but not one of a table.");
  stop();
  location.assign(path[0]);
  return true;
}

function stop() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
}

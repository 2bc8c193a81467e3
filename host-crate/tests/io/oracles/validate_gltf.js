// Validates glTF files with Khronos' validator, and prints the number of issues of each.

const fs = require("fs");
const validator = require("gltf-validator");

async function main() {
    for (const path of process.argv.slice(2)) {
        const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)));
        const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
        const count = numErrors + numWarnings + numInfos + numHints;
        console.log(`${path}: ${count} issues`);
        messages.forEach((message) => console.log(JSON.stringify(message)));
    }
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});

use aes::cipher::{Block, BlockCipherDecrypt, BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use cuda_std::prelude::*;

/// Encrypts a block with the first 16, 24 and 32 bytes of the key, and decrypts it again.
#[kernel]
pub unsafe fn aes_block(
    key: [u8; 32],
    block: [u8; 16],
    encrypted: *mut [u8; 16],
    decrypted: *mut [u8; 16],
) {
    let i = thread::index_1d() as usize;
    let (there, back) = match i {
        0 => both_ways(&Aes128::new_from_slice(&key[..16]).unwrap(), block),
        1 => both_ways(&Aes192::new_from_slice(&key[..24]).unwrap(), block),
        2 => both_ways(&Aes256::new_from_slice(&key).unwrap(), block),
        _ => return,
    };
    *encrypted.add(i) = there;
    *decrypted.add(i) = back;
}

fn both_ways<C>(cipher: &C, block: [u8; 16]) -> ([u8; 16], [u8; 16])
where
    C: BlockCipherEncrypt + BlockCipherDecrypt,
    Block<C>: From<[u8; 16]> + Into<[u8; 16]>,
{
    let mut block: Block<C> = block.into();
    cipher.encrypt_block(&mut block);
    let there = block.clone().into();
    cipher.decrypt_block(&mut block);
    (there, block.into())
}
